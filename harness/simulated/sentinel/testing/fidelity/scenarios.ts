import { MASTER_NAME } from "../../../../core/topology.ts";

/** What a scenario needs of a topology, real or simulated. All Sentinels judge after 500, 700 and 900 ms. */
export interface Stage {
  pass(ms: number): Promise<void>;
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
  play(stage: Stage): Promise<unknown>;
}

/** What was done to real and to simulated Sentinels alike. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "the master is killed",
    play: async (stage) => {
      await stage.killMaster();
      await stage.pass(5000);
    },
  },
  {
    name: "the master is paused, goes on, and is made a replica",
    play: async (stage) => {
      await stage.pauseMaster();
      await stage.pass(5000);
      await stage.resumeMaster();
      await stage.pass(13_000);
    },
  },
  {
    name: "a Sentinel is asked for a failover",
    play: async (stage) => {
      await stage.sentinel(0, "SENTINEL", "FAILOVER", MASTER_NAME);
      await stage.pass(4000);
    },
  },
  {
    name: "the master is killed while all Sentinels tilt, for too long to find a replica fit",
    play: async (stage) => {
      for (const index of [0, 1, 2]) await stage.sentinel(index, "SENTINEL", "DEBUG", "tilt-period", "12000");
      await stage.jumpSentinelClocks(11_000);
      await stage.killMaster();
      await stage.pass(14_000);
    },
  },
];
