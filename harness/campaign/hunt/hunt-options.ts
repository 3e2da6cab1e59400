import type { TopologySpec } from "../../core/topology.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";
import type { Property } from "../../core/verdict.ts";
import type { Backend } from "../../core/topologies/backend.ts";
import type { Shard } from "../campaign-journal.ts";

/** What to hunt, and how hard. Only the lock is required. */
export interface HuntOptions {
  /** The name of a registered lock, or the path of a driver from the working directory. */
  readonly lock: string;
  /** Default: the first topology that the lock runs on. */
  readonly topology?: TopologyKind | undefined;
  /** What the nodes keep on disk. Default: `none`. */
  readonly persistence?: TopologySpec["persistence"] | undefined;
  /**
   * Kinds of faults to draw from; an empty list gives runs without faults. Default: all that the backend and the
   * topology have.
   */
  readonly faults?: readonly string[] | undefined;
  /** Default: `simulated`. */
  readonly backend?: Backend | undefined;
  /** The properties that decide. Default: what the lock claims under the faults of each plan. */
  readonly required?: readonly Property[] | undefined;
  /** The same seed draws the same plans. Default: random. */
  readonly seed?: number | undefined;
  /** How many plans to try. Default: 1000, on containers 20. */
  readonly runs?: number | undefined;
  /** How many runs shrinking may take. Default: 500, on containers 20. */
  readonly shrinkRuns?: number | undefined;
  /** No run begins after this many milliseconds. */
  readonly budgetMs?: number | undefined;
  /** Goes straight to the counterexample that a hunt with this seed found. Such a hunt cannot be resumed or divided. */
  readonly path?: string | undefined;
  /** Whether real servers run the counterexample three times, and the results say in how many it failed again. */
  readonly confirm?: boolean | undefined;
  /**
   * How many threads simulate, or how many plans run at a time on containers, each on servers of its own; what is found
   * does not depend on it. Default: by the machine's cores and memory.
   */
  readonly threads?: number | undefined;
  /** The part of the hunt to do. Default: all of it. */
  readonly shard?: Shard | undefined;
  /** Whether to continue an interrupted hunt with the same options in this store. */
  readonly resume?: boolean | undefined;
}
