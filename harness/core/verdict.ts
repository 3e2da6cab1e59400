/** The safety and liveness properties, P1 to P8, in the order in which reports list them. */
export const PROPERTIES = [
  "mutual-exclusion",
  "lease-exclusion",
  "fencing-tokens",
  "stale-writes",
  "lost-updates",
  "owner-release",
  "deadlock-freedom",
  "linearizability",
] as const;
export type Property = (typeof PROPERTIES)[number];

/**
 * Why a property was violated. `never-freed`: nobody holds the lock any more, and yet it is not given to anybody.
 * `unexplained` is allowed, and counted.
 */
export const CAUSES = [
  "overrun",
  "double-grant",
  "lost-in-failover",
  "lost-in-restart",
  "clock-jump",
  "clock-rate",
  "foreign-release",
  "expired-grant",
  "token-rollback",
  "stale-accepted",
  "eviction",
  "never-freed",
  "unexplained",
] as const;
export type Cause = (typeof CAUSES)[number];

/** `unknown`: the evidence does not decide. `not-applicable`: nothing in the history speaks of this property. */
export type Outcome = "valid" | "invalid" | "unknown" | "not-applicable";

/** One violation, with the events that prove it. */
export interface Violation {
  /** Indices of the events that prove it, ascending. */
  readonly events: readonly number[];
  readonly cause: Cause;
  /** The two owners at odds, the earlier first, where there are two. */
  readonly holders?: readonly [Holder, Holder];
  /** Nanoseconds since the start during which it held, where it has a length. */
  readonly overlap?: { readonly from: number; readonly to: number };
  /** Index of the fault event that enabled it, where one did. */
  readonly fault?: number;
  /** One paragraph that a person understands. */
  readonly explanation: string;
}

/** Who held what, as the history names it. */
export interface Holder {
  readonly process: number;
  readonly owner: string;
  readonly fence?: number;
}

export interface PropertyVerdict {
  readonly verdict: Outcome;
  readonly violations: readonly Violation[];
  /** Why it is `unknown` or `not-applicable`. */
  readonly reason?: string;
}

/**
 * The judgement of one history. `verdict` is the worst of the `required` properties: `invalid` over `unknown` over
 * `valid`; properties that do not apply do not count.
 */
export interface Verdict {
  readonly verdict: "valid" | "invalid" | "unknown";
  readonly required: readonly Property[];
  readonly properties: Readonly<Partial<Record<Property, PropertyVerdict>>>;
  /** Reasons for `unknown` that concern the run as a whole: a fault without effect, no contention. */
  readonly reasons: readonly string[];
  /** What a reader should know but what does not change the verdict: a stale write that was refused, say. */
  readonly remarks: readonly string[];
  /** How close it was. */
  readonly margins?: Margins;
}

/** How close a run came to a violation. Each is absent where the history has no such thing. */
export interface Margins {
  /** The shortest time between the end of one hold and the grant of the next, of the same key to another owner. */
  readonly smallestGap?: Margin;
  /** The least that was left of a lease when its holder released it; negative when it was over by then. */
  readonly smallestValidityLeft?: Margin;
  /** The longest time for which a client or a node was stopped, as far as it was seen. */
  readonly largestPause?: Margin;
}

export interface Margin {
  readonly nanoseconds: number;
  /** Indices of the events that it lies between, or of the one at which it was taken. */
  readonly events: readonly number[];
}

/** Exit codes, the same as Jepsen's where they mean the same. */
export const EXIT = { valid: 0, invalid: 1, unknown: 2, usage: 254, harness: 255 } as const;
