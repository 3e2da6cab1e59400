import type { LockDriver } from "./driver.ts";
import type { Claim, Limit, Persistence, TopologyName } from "./claims.ts";

/** What there is to learn from a lock: how it is lost, and what the next rung does about it. */
export interface Lesson {
  /** The limit that its page shows, with a counterexample. */
  readonly shows: Pick<Limit, "property" | "topology" | "under">;
  /** The lock that mends it; absent where none here does. */
  readonly mendedBy?: string;
  /** How it is mended, or what else can be done about it: a sentence. */
  readonly how: string;
}

/** A lock that the harness knows by name. */
export interface LockEntry {
  readonly name: string;
  /** One line: what it does. */
  readonly title: string;
  readonly topologies: readonly TopologyName[];
  /** What the recipe prescribes for the servers' disks; absent where it prescribes nothing. */
  readonly persistence?: Persistence;
  /** Loads the driver, and only then its dependencies. */
  readonly load: () => Promise<LockDriver>;
  /** What to have npm install before it can be loaded, `redlock4@npm:redlock@4.2.0`; absent where nothing is needed. */
  readonly npmPackage?: string;
  /** True for a lock with a deliberate bug. Its claims are what it would be sold for. */
  readonly flawed: boolean;
  /** The bug, in one line. */
  readonly flaw?: string;
  /** Whether its grants carry a fencing token. */
  readonly mintsFence: boolean;
  /** Whether it prolongs its leases by itself. A hold that is never released then never ends. */
  readonly renews: boolean;
  /** Whether a holder may acquire again what it holds. */
  readonly reentrant?: true;
  readonly claims: readonly Claim[];
  /** Where it is known to break. For a flawed lock the first rows are its flaw's. */
  readonly limits: readonly Limit[];
  readonly lesson: Lesson;
}
