import { MASTER_NAME } from "../../../../core/topologies/sentinel.ts";
import type { EventScript } from "./event-script.ts";

/** The actions of a scenario on a topology, real or simulated. */
export interface ScenarioControls {
  /** Waits, in the time of the topology. */
  advance(ms: number): Promise<void>;
  /**
   * Waits until the Sentinels' scripts are as asked, or until one of them ends because the machine stalled.
   * @throws when they are not within two minutes
   */
  until(reached: (scripts: readonly EventScript[]) => boolean): Promise<void>;
  /** A command to Sentinel `index`. */
  sentinel(index: number, ...argv: readonly string[]): Promise<unknown>;
  jumpSentinelClocks(ms: number): Promise<unknown>;
  killMaster(): Promise<unknown>;
  pauseMaster(): Promise<unknown>;
  resumeMaster(): Promise<unknown>;
}

export interface Scenario {
  readonly name: string;
  /** How soon each Sentinel, in order, calls a silent server down. Staggered, so that one of them leads. */
  readonly downAfterMs: readonly number[];
  /** Whether the first master is stopped: otherwise it never seems down unless the machine stalls. */
  readonly stopsMaster: boolean;
  /** How often each Sentinel tilts unless the machine stalls. */
  readonly tilts: number;
  run(controls: ScenarioControls): Promise<unknown>;
}

/** A process on a busy machine may not run for a second or two. No Sentinel takes that for a death. */
const PATIENT_MS = [4000, 5000, 6000];
/** A master that was silent for more than ten times as long finds its replicas unfit: this must not take minutes. */
const IMPATIENT_MS = [500, 700, 900];

/** How long a scenario goes on after its last awaited event. */
const AFTERMATH_MS = 1000;

const M_DOWN = "+sdown slave M M 6379 @ lockstorm P 6379";
const M_CALLS_ITSELF_MASTER = "-role-change slave M M 6379 @ lockstorm P 6379 new reported role is master";
/** Who notices first that the old master calls itself a master makes it a replica; the others see that it is one. */
const M_IS_REPLICA = [
  "+convert-to-slave slave M M 6379 @ lockstorm P 6379",
  "+role-change slave M M 6379 @ lockstorm P 6379 new reported role is slave",
];
const NO_GOOD_REPLICA = "-failover-abort-no-good-slave master lockstorm M 6379";

/** Whether all Sentinels have published one of these lines. */
function all(...lines: readonly string[]): (scripts: readonly EventScript[]) => boolean {
  return (scripts) =>
    scripts.length === 3 && scripts.every((script) => lines.some((line) => script.lines.includes(line)));
}

/** The same scenarios run on real and on simulated Sentinels. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "the master is killed",
    downAfterMs: PATIENT_MS,
    stopsMaster: true,
    tilts: 0,
    run: async (controls) => {
      await controls.killMaster();
      await controls.until(all(M_DOWN));
      await controls.advance(AFTERMATH_MS);
    },
  },
  {
    name: "the master is paused, goes on, and is made a replica",
    downAfterMs: PATIENT_MS,
    stopsMaster: true,
    tilts: 0,
    run: async (controls) => {
      await controls.pauseMaster();
      await controls.until(all(M_DOWN));
      await controls.resumeMaster();
      await controls.until(all(...M_IS_REPLICA));
      await controls.advance(AFTERMATH_MS);
    },
  },
  {
    name: "a Sentinel is asked for a failover",
    downAfterMs: PATIENT_MS,
    stopsMaster: false,
    tilts: 0,
    run: async (controls) => {
      await controls.sentinel(0, "SENTINEL", "FAILOVER", MASTER_NAME);
      await controls.until(all(M_CALLS_ITSELF_MASTER));
      await controls.advance(AFTERMATH_MS);
    },
  },
  {
    name: "the master is killed while all Sentinels tilt, for too long to find a replica fit",
    downAfterMs: IMPATIENT_MS,
    stopsMaster: true,
    tilts: 1,
    run: async (controls) => {
      for (const index of [0, 1, 2]) await controls.sentinel(index, "SENTINEL", "DEBUG", "tilt-period", "12000");
      await controls.jumpSentinelClocks(11_000);
      await controls.killMaster();
      await controls.until((scripts) => scripts.some(({ lines }) => lines.includes(NO_GOOD_REPLICA)));
      await controls.advance(AFTERMATH_MS);
    },
  },
];
