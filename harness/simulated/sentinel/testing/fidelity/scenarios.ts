import { MASTER_NAME } from "../../../../core/topologies/sentinel.ts";

/**
 * The actions of a scenario on a topology, real or simulated. The Sentinels call the master down after 500, 700 and 900
 * ms.
 */
export interface ScenarioControls {
  /** Waits, in the time of the topology. */
  advance(ms: number): Promise<void>;
  /** A command to Sentinel `index`. */
  sentinel(index: number, ...argv: readonly string[]): Promise<unknown>;
  jumpSentinelClocks(ms: number): Promise<unknown>;
  killMaster(): Promise<unknown>;
  startMaster(): Promise<unknown>;
  pauseMaster(): Promise<unknown>;
  resumeMaster(): Promise<unknown>;
}

export interface Scenario {
  readonly name: string;
  run(controls: ScenarioControls): Promise<unknown>;
}

/** The same scenarios run on real and on simulated Sentinels. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "the master is killed",
    run: async (controls) => {
      await controls.killMaster();
      await controls.advance(5000);
    },
  },
  {
    name: "the master is paused, goes on, and is made a replica",
    run: async (controls) => {
      await controls.pauseMaster();
      await controls.advance(5000);
      await controls.resumeMaster();
      await controls.advance(13_000);
    },
  },
  {
    name: "a Sentinel is asked for a failover",
    run: async (controls) => {
      await controls.sentinel(0, "SENTINEL", "FAILOVER", MASTER_NAME);
      await controls.advance(4000);
    },
  },
  {
    name: "the master is killed while all Sentinels tilt, for too long to find a replica fit",
    run: async (controls) => {
      for (const index of [0, 1, 2]) await controls.sentinel(index, "SENTINEL", "DEBUG", "tilt-period", "12000");
      await controls.jumpSentinelClocks(11_000);
      await controls.killMaster();
      await controls.advance(14_000);
    },
  },
];
