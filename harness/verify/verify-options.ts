import type { TopologyKind, TopologySpec } from "../core/topology.ts";
import type { Cause, Property } from "../core/verdict.ts";

/** Gives a driver, or imports the module that exports one as `driver` or as default. */
export type DriverFactory = () => unknown;

/** What to verify, and how hard to look. Everything but the lock may be left out. */
export interface VerifyOptions {
  /**
   * The lock. A module (its path from the working directory, or a file URL) runs in a process of its own, on plain Node,
   * and is what to use where it can be loaded so. A function is called in this process, whose platform (timers, Date,
   * sockets, randomness) is patched for the simulation first: for a lock that needs the transforms or aliases of a bundler.
   * Have it import what it needs: `() => import("./my-lock")`. Or the name of one of lockstorm's own locks.
   */
  readonly lock: string | URL | DriverFactory;
  /** What the run is called in reports; the lock when absent. */
  readonly title?: string;
  /** `single` when absent. */
  readonly topology?: TopologyKind;
  /** What nodes keep on disk; `none` when absent. */
  readonly persistence?: TopologySpec["persistence"];
  /**
   * Kinds of faults to draw from (`lockstorm hunt --help` lists them); none when empty. When absent, those that a sound
   * lock survives on this topology.
   */
  readonly faults?: readonly string[];
  /**
   * The properties that decide. When absent, `lease-exclusion`, `fencing-tokens`, `stale-writes`, `owner-release` and
   * `deadlock-freedom`: the others no lock can promise to a client that is stopped for longer than its lease, or they
   * follow. A property of which a run says nothing does not count.
   */
  readonly require?: readonly Property[];
  /** How many plans to try; 500 when absent. A run takes a few milliseconds. */
  readonly runs?: number;
  /** How many runs shrinking a counterexample may take; 500 when absent. */
  readonly shrinkRuns?: number;
  /** No run begins after this many milliseconds; 60 000 when absent. */
  readonly budgetMs?: number;
  /** The same seed makes the same plans; 1 when absent. */
  readonly seed?: number;
  /** Goes straight to a counterexample that a verification with this seed printed. */
  readonly path?: string;
  /** Folder for what is found: `regressions`, whose plans run first the next time, and `runs`. `.lockstorm` when absent. */
  readonly store?: string;
  /** The command that runs it again, for a lock that `lockstorm replay` cannot load. */
  readonly replayCommand?: string;
}

/** What came of it. */
export interface Verification {
  readonly seed: number;
  readonly runs: number;
  readonly valid: number;
  readonly unknown: number;
  /** True when the budget or the signal ended it before all runs were done. */
  readonly cutShort: boolean;
  readonly counterexample?: Counterexample;
}

/** The smallest run that was found in which a required property is violated. */
export interface Counterexample {
  /** The required properties that it violates. */
  readonly properties: readonly Property[];
  readonly causes: readonly Cause[];
  /** The run as text: the lanes of clients and nodes, what happened, why it is a violation. */
  readonly text: string;
  /** Leads back to it with the same seed; absent for a plan that was kept from a former run. */
  readonly path?: string;
  /** How many runs shrinking took. */
  readonly shrinks: number;
  /** The run's folder: `plan.json`, `history.jsonl`, `verdict.json`, `report.html`. */
  readonly folder: string;
  /** The plan as it is kept: it runs first the next time. */
  readonly regression: string;
}
