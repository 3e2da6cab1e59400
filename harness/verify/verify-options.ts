import type { ResidualRisk } from "../core/statistics/residual-risk.ts";
import type { Recurrence } from "../core/recurrence.ts";
import type { RunNote } from "../core/run-note.ts";
import type { TopologySpec } from "../core/topology.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import type { Cause, Property } from "../core/verdict.ts";

/** Returns a driver, or imports the module that exports one as `driver` or as default. */
export type DriverFactory = () => unknown;

/** Which lock to verify, under which faults, and how long. Only the lock is required. */
export interface VerifyOptions {
  /**
   * The lock. A module (its path from the working directory, or a file URL) runs in a separate process, on plain Node;
   * prefer it where Node can load the lock. A function is called in this process, whose platform (timers, Date,
   * sockets, randomness) is patched for the simulation first: use it for a lock that needs the transforms or aliases of
   * a bundler. The function must import what it needs: `() => import("./my-lock")`. A string can also name one of
   * lockstorm's own locks.
   */
  readonly lock: string | URL | DriverFactory;
  /** The name of the run in reports. Default: the lock. */
  readonly title?: string;
  /** Default: `single`. */
  readonly topology?: TopologyKind;
  /** What nodes keep on disk. Default: `none`. */
  readonly persistence?: TopologySpec["persistence"];
  /**
   * Kinds of faults to draw from (`lockstorm hunt --help` lists them); an empty list means no faults. Default: those
   * that a sound lock survives on this topology.
   */
  readonly faults?: readonly string[];
  /**
   * The properties that decide. The default is what a lock can promise: `lease-exclusion`, `fencing-tokens`,
   * `stale-writes`, `owner-release`, `deadlock-freedom` and `linearizability`. `mutual-exclusion` and `lost-updates`
   * ask for more: no lock with a lease can promise them to a client that outlives its lease. A property that does not apply
   * to a run does not count.
   */
  readonly require?: readonly Property[];
  /** How many plans to run. Default: 500. A run takes a few milliseconds. */
  readonly runs?: number;
  /** How many runs may be used to shrink a counterexample. Default: 500. */
  readonly shrinkRuns?: number;
  /** No run starts after this time, in milliseconds. Default: 60 000. */
  readonly budgetMs?: number;
  /** The same seed gives the same plans. Default: 1. */
  readonly seed?: number;
  /** Runs only the counterexample for which a verification with this seed printed this path. */
  readonly path?: string;
  /** Folder for `regressions`, whose plans run first the next time, and for `runs`. Default: `.lockstorm`. */
  readonly store?: string;
  /** The command that runs the verification again, for a lock that `lockstorm replay` cannot load. */
  readonly replayCommand?: string;
}

/** The outcome of a verification. */
export interface Verification {
  readonly seed: number;
  readonly runs: number;
  readonly valid: number;
  readonly unknown: number;
  /**
   * Observations that do not change the verdict, with the number of runs: why runs are unknown (`undecided`), operations that ended
   * by a mistake in the code of the driver or of its library (`programmer-error`), violations of properties that are not required
   * (`not-claimed`, `not-promisable`, `not-asked`), clients that outlived their lease (`outlived`).
   */
  readonly notes: readonly (RunNote & { readonly runs: number })[];
  /** Whether the budget or the signal ended the verification before all runs were done. */
  readonly cutShort: boolean;
  /**
   * What runs without a violation leave open: the probability that one more run shows a new order of events, and an upper
   * bound for the share of runs that break the lock. Absent with a counterexample.
   */
  readonly residualRisk?: ResidualRisk | undefined;
  readonly counterexample?: Counterexample;
}

/** The smallest run that violates a required property. */
export interface Counterexample {
  /** The required properties that it violates. */
  readonly properties: readonly Property[];
  readonly causes: readonly Cause[];
  /** The run as text: a picture of clients and nodes over time, the events, and why this is a violation. */
  readonly text: string;
  /** The path that reproduces it with the same seed; absent for a plan that was stored by an earlier run. */
  readonly path?: string | undefined;
  /** How many runs shrinking took. */
  readonly shrinks: number;
  /** How often the violation came again with other seeds, which change jitter, retries and owner values. */
  readonly recurrence: Recurrence;
  /** The run's folder: `plan.json`, `history.jsonl`, `verdict.json`, `report.html`. */
  readonly folder: string;
  /** The stored plan, which runs first the next time. */
  readonly regression: string;
}
