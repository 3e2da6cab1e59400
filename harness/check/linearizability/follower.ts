import type { Configuration } from "./configuration.ts";
import type { LockOperation } from "./lock-models.ts";

/** Follows the linearizations of one key's operations. */
export interface Follower {
  /** Whether configurations were dropped because there were too many: a failure then proves nothing. */
  readonly truncated: boolean;
  /** Whether it took more steps than it was given: its answers since then do not count. */
  readonly exhausted: boolean;
  /** Whether every explanation so far may use one acquire of unknown outcome twice. Absent where none enters a hold again. */
  readonly maySpendTwice?: boolean;
  /** Whether nothing is impossible for certain, and yet no order is known that explains everything. */
  readonly isUndecided?: boolean;
  /** Whether this owner may hold by an operation that was announced. Absent where owners are not followed one by one. */
  mayHold?(owner: string): boolean;
  announce(operation: LockOperation): void;
  /**
   * States, for each required operation in the order of completions, that all operations that began before its
   * completion are announced.
   */
  confirm(operation: LockOperation): void;
  push(operation: LockOperation): Impossible | undefined;
  finish(): Configuration | undefined;
}

export interface Impossible {
  /** The operation that no configuration allows. */
  readonly operation: LockOperation;
  /** The configuration before it that got furthest. */
  readonly before: Configuration;
  /** The grants of all holds beside which there is no room for it, if several may hold at a time. */
  readonly beside?: readonly LockOperation[];
}

/** What is known of one key. `general`: only the general search can decide it, if anything can. */
export type KeyProgress =
  | { readonly state: "following" }
  | { readonly state: "impossible"; readonly impossible: Impossible }
  | { readonly state: "unexplained-refusal"; readonly before: Impossible["before"] }
  | { readonly state: "general"; readonly why: string };
