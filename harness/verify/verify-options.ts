import type { ResidualRisk } from "../core/statistics/residual-risk.ts";
import type { Recurrence } from "../core/recurrence.ts";
import type { RunNote } from "../core/run-note.ts";
import type { TopologySpec } from "../core/topology.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import type { Cause, Property } from "../core/verdict.ts";

/** Gives a driver, or imports the module that exports one as `driver` or as default. */
export type DriverFactory = () => unknown;

/** What to verify, and how hard to look. Only the lock is required. */
export interface VerifyOptions {
  /**
   * The lock. A module (its path from the working directory, or a file URL) runs in a separate process, on plain Node;
   * prefer it where Node can load the lock. A function is called in this process, whose platform (timers, Date,
   * sockets, randomness) is patched for the simulation first: use it for a lock that needs the transforms or aliases of
   * a bundler. The function must import what it needs: `() => import("./my-lock")`. A string can also name one of
   * lockstorm's own locks.
   */
  readonly lock: string | URL | DriverFactory;
  /** What the run is called in reports; the lock when absent. */
  readonly title?: string;
  /** `single` when absent. */
  readonly topology?: TopologyKind;
  /** What nodes keep on disk; `none` when absent. */
  readonly persistence?: TopologySpec["persistence"];
  /**
   * Kinds of faults to draw from (`lockstorm hunt --help` lists them); an empty list means no faults. Default: those
   * that a sound lock survives on this topology.
   */
  readonly faults?: readonly string[];
  /**
   * The properties that decide. The default is what a lock can promise: `lease-exclusion`, `fencing-tokens`,
   * `stale-writes`, `owner-release`, `deadlock-freedom` and `linearizability`. `mutual-exclusion` and `lost-updates`
   * ask for more: no lock with a lease promises them to a client that outlives it. A property on which a run decides
   * nothing does not count.
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
   * Observations beside the verdicts, with the number of runs: why runs are unknown (`undecided`), what broke without
   * deciding (`not-claimed`, `not-promisable`, `not-asked`), clients that outlived their lease (`outlived`).
   */
  readonly notes: readonly (RunNote & { readonly runs: number })[];
  /** True when the budget or the signal ended it before all runs were done. */
  readonly cutShort: boolean;
  /**
   * What runs without a violation leave open: how likely one more run shows an order of events not seen yet, and an
   * upper bound of the share of runs that break the lock. Absent with a counterexample.
   */
  readonly residualRisk?: ResidualRisk | undefined;
  readonly counterexample?: Counterexample;
}

/** The smallest run that violates a required property. */
export interface Counterexample {
  /** The required properties that it violates. */
  readonly properties: readonly Property[];
  readonly causes: readonly Cause[];
  /** The run as text: the lanes of clients and nodes, what happened, why it is a violation. */
  readonly text: string;
  /** The path that leads back to it with the same seed; absent for a plan that was kept from an earlier run. */
  readonly path?: string | undefined;
  /** How many runs shrinking took. */
  readonly shrinks: number;
  /** How often the violation came again with other seeds: jitter, retries and owner values then differ. */
  readonly recurrence: Recurrence;
  /** The run's folder: `plan.json`, `history.jsonl`, `verdict.json`, `report.html`. */
  readonly folder: string;
  /** The kept plan, which runs first the next time. */
  readonly regression: string;
}
