import type { LockDriver } from "../harness/core/lock-driver.ts";
import type { Supports } from "../harness/core/sharing.ts";
import type { TopologyKind } from "../harness/core/topologies/registry.ts";
import type { Claim, Limit, Persistence } from "./claims.ts";

/** The lesson of a lock: how it is lost, and what the next rung does about it. */
export interface Lesson {
  /** The limit that its page shows, with a counterexample. */
  readonly shows: Pick<Limit, "property" | "topology" | "under">;
  /** The lock that does not have this limit; absent where no lock here is without it. */
  readonly fixedBy?: string;
  /** One sentence: how the limit is removed, or what else helps against it. */
  readonly how: string;
}

/** A lock that the harness knows by name. */
export interface LockEntry {
  /** The value of `--lock`, and the name of its file. */
  readonly name: string;
  /** One line: what it does. */
  readonly title: string;
  readonly topologies: readonly TopologyKind[];
  /** What the recipe prescribes for the servers' disks; absent where it prescribes nothing. */
  readonly persistence?: Persistence;
  /** Imports the driver's dependencies and returns the driver. Nothing is imported earlier: see CONTRIBUTING.md. */
  readonly load: () => Promise<LockDriver>;
  /**
   * The package that `npm install` must add before `load` succeeds, such as `redlock4@npm:redlock@4.2.0`, and the flags
   * that npm needs for it; absent where none is needed.
   */
  readonly npmPackage?: string;
  /** For a library: what its own documentation promises, in our words. */
  readonly documented?: string;
  /** True for a lock with a deliberate bug. Its claims are those that it would have without the bug. */
  readonly flawed: boolean;
  /** The bug, in one line. */
  readonly flaw?: string;
  /** Whether its grants carry a fencing token. */
  readonly mintsFence: boolean;
  /** Whether it renews its leases by itself. A hold that is never released then never ends. */
  readonly renews: boolean;
  /** Whether a holder may acquire the same lock again. */
  readonly reentrant?: true;
  /** What its driver supports beyond one holder at a time: workloads ask for it. */
  readonly supports?: Supports;
  /** What it promises, and under which faults. */
  readonly claims: readonly Claim[];
  /** Where it is known to break. For a flawed lock the first rows are those of its flaw. */
  readonly limits: readonly Limit[];
  /** The content of its page. */
  readonly lesson: Lesson;
}
