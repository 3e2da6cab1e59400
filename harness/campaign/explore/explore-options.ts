import type { TopologyKind } from "../../core/topologies/registry.ts";
import type { Plan } from "../../core/plan.ts";
import type { TopologySpec } from "../../core/topology.ts";
import type { Property } from "../../core/verdict.ts";
import type { Shard } from "../campaign-journal.ts";

/** What to explore, and how far. Only the lock is required. */
export interface ExploreOptions {
  /** The name of a registered lock, or the path of a driver from the working directory. */
  readonly lock: string;
  /** Default: the first topology that the lock runs on. */
  readonly topology?: TopologyKind | undefined;
  /** What the nodes keep on disk. Default: what the lock's recipe prescribes, else `none`. */
  readonly persistence?: TopologySpec["persistence"] | undefined;
  /** The kinds of faults that deviations are made of. Default: all that the topology has. */
  readonly faults?: readonly string[] | undefined;
  /** The most deviations of a schedule. Default: 1. */
  readonly deviations?: number | undefined;
  /** The workload, instead of clients that contend for one key: a plan without faults. Its lock and topology are not used. */
  readonly workload?: Plan | undefined;
  /** How many clients contend. Default: 2. */
  readonly clients?: number | undefined;
  /** How many critical sections each of them has. Default: 1. */
  readonly sections?: number | undefined;
  /** The seed of the one jitter that all schedules have. Default: 1. */
  readonly seed?: number | undefined;
  /** The properties that decide. Default: what the lock claims under the faults of each schedule. */
  readonly required?: readonly Property[] | undefined;
  /** Whether schedules that others stand for are left out. Default: true. */
  readonly reduction?: boolean | undefined;
  /** Deadlines that are closer together than this, in milliseconds, are not told apart. Default: 10. */
  readonly resolutionMs?: number | undefined;
  /** Whether it goes on after the first schedule that breaks the lock. Default: false. */
  readonly keepGoing?: boolean | undefined;
  /** No schedule begins after this many milliseconds. */
  readonly budgetMs?: number | undefined;
  /** How many threads run schedules; the results do not depend on it. Default: by cores and memory. */
  readonly threads?: number | undefined;
  /** The part of the last level to explore. Default: all of it. */
  readonly shard?: Shard | undefined;
  /** Whether to continue an interrupted exploration with the same options in this store. */
  readonly resume?: boolean | undefined;
}
