/** What reports need to know of a property. */
interface PropertyEntry {
  /** Its two-letter abbreviation, for tables. */
  readonly letters: string;
  /** What it requires, in plain words. */
  readonly meaning: string;
  /**
   * Whether a lock can promise it. By default a user's own lock must keep every property that a lock can promise. No
   * lock with a lease can promise anything to a client that outlives its lease.
   */
  readonly promisable: boolean;
}

/** The safety and liveness properties, P1 to P10, in the order in which reports list them. */
const ENTRIES = {
  "mutual-exclusion": { letters: "ME", meaning: "at most one client holds the lock at a time", promisable: false },
  "lease-exclusion": { letters: "LE", meaning: "at most one lease is in force at a time", promisable: true },
  "fencing-tokens": {
    letters: "FT",
    meaning: "every grant has a larger fencing token than the grants before it",
    promisable: true,
  },
  "stale-writes": {
    letters: "SW",
    meaning: "the resource accepts no write with an older fencing token than one it has accepted",
    promisable: true,
  },
  "lost-updates": {
    letters: "LU",
    meaning: "no accepted write overwrites one that its author never saw",
    promisable: false,
  },
  "owner-release": { letters: "OR", meaning: "no client releases or extends another client's lock", promisable: true },
  "deadlock-freedom": {
    letters: "DF",
    meaning: "after the faults are over, some client gets the lock",
    promisable: true,
  },
  linearizability: {
    letters: "LI",
    meaning: "a correct lock could have given the same answers in some order",
    promisable: true,
  },
  "all-or-nothing": {
    letters: "AN",
    meaning: "an acquisition of several keys that fails leaves none behind, and a release gives back all",
    promisable: true,
  },
  "first-come-first-served": {
    letters: "FF",
    meaning: "nobody who asks for the lock later is granted it before a client that stands in its queue",
    promisable: true,
  },
} as const satisfies Readonly<Record<string, PropertyEntry>>;

/** What a lock, or the resource that it guards, can be required to keep; the glossary says what each one means. */
export type Property = keyof typeof ENTRIES;
export const PROPERTIES = Object.keys(ENTRIES) as readonly Property[];

/** The properties that a lock can promise: by default a user's own lock must keep them. */
export const PROMISABLE: readonly Property[] = PROPERTIES.filter((property) => ENTRIES[property].promisable);

/** The two-letter abbreviation of a property, for tables. */
export function lettersOf(property: Property): string {
  return ENTRIES[property].letters;
}

/** What a property requires, in plain words. */
export function meaningOf(property: Property): string {
  return ENTRIES[property].meaning;
}

/**
 * Why a property was violated. Causes whose names do not say it:
 * - `never-freed`: nobody holds the lock any more, but nobody is granted it.
 * - `double-grant`: the lock itself granted what it had promised to another client.
 * - `lost-early`: a holder found its lease gone before the end of the lease, and no fault took it away.
 * - `rounded-lease`: the lock ended a lease up to a millisecond before the time that it had promised.
 * - `refused-while-free`: a try was refused as contended while nobody held the lock.
 * - `left-behind`: an acquisition or a release of several keys left one of them taken.
 * - `overtaken`: a client that stood in the lock's queue was granted the lock after one that asked for it later.
 * - `contradiction`: the lock's answers contradict each other, and none of them alone is to blame.
 * - `lost-write`: the resource acknowledged a write and does not have it.
 * - `effect-after-failure`: a write took effect although it was reported as failed.
 * - `stale-read`: a write was based on a read that was outdated when its author was granted the lock, or that others
 *   overwrote during the hold.
 * - `token-overtaken`: of two holds the earlier has the larger fencing token.
 * - `rightful-write-refused`: the resource refused the only rightful holder because it had accepted a larger fencing token,
 *   or the same one of another owner, whose owner held the lock earlier or not at all.
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
  "token-overtaken",
  "stale-accepted",
  "rightful-write-refused",
  "eviction",
  "never-freed",
  "lost-early",
  "rounded-lease",
  "refused-while-free",
  "left-behind",
  "overtaken",
  "contradiction",
  "lost-write",
  "effect-after-failure",
  "stale-read",
] as const;
/** Why a property was violated; the glossary says what each one means. */
export type Cause = (typeof CAUSES)[number];

/** `unknown`: the evidence does not decide. `not-applicable`: nothing in the history tests this property. */
export type Outcome = "valid" | "invalid" | "unknown" | "not-applicable";

/** One violation, with the events that prove it. */
export interface Violation {
  /** Indices of the events that prove it, ascending. */
  readonly events: readonly number[];
  readonly cause: Cause;
  /** The two owners in conflict, the earlier first, if there are two. */
  readonly holders?: readonly [Holder, Holder];
  /** The time for which the violation lasted, in nanoseconds since the start of the run, if it has a length. */
  readonly overlap?: { readonly from: number; readonly to: number };
  /** Index of the fault event that enabled it, if there is one. */
  readonly fault?: number;
  /** One paragraph in plain words. */
  readonly explanation: string;
  /** How certain the cause is. */
  readonly proof?: Proof;
  /** What happened, without its cause. */
  readonly finding?: Finding;
  /** Possible causes; `cause`, `fault` and `explanation` are those of the first. */
  readonly hypotheses?: readonly Hypothesis[];
}

/** What was seen of a violation, independent of its cause. */
export interface Finding {
  readonly account: string;
  readonly events: readonly number[];
}

/** A possible cause of a violation. */
export interface Hypothesis {
  readonly cause: Cause;
  /** Index of the fault event that it accuses, and that fault in words. */
  readonly fault?: number;
  readonly accused?: string;
  /** Events that support it, beside those of the finding. */
  readonly events: readonly number[];
  /** What the history shows of it for certain: a clause without capital and full stop. */
  readonly shown?: string;
  /** How it led to the violation: a clause of the same form. */
  readonly why: string;
  /** What it may have been instead, which the history cannot tell from it: a clause that goes on from `why`. */
  readonly orElse?: string;
  /** What it rests on, and so what a run must leave out to decide whether it is true. */
  readonly ground: Ground;
  /** Index of the grant whose holder outlived its lease, or received the grant too late. */
  readonly grant?: number;
  /** Remedies that might have prevented it, the most fitting first. */
  readonly remedies: readonly Remedy[];
  /** Those of them that nobody is advised to take before a run has shown that they help. */
  readonly unadvised?: readonly Remedy[];
}

/**
 * What a hypothesis rests on. `history`: the events alone show it. `faults`: these fault events (indices). `operation`: the
 * release or extension with this invocation; `isPerhapsRightful`: its owner may have held then. `remedy`: the lack of
 * this remedy. `rest`: no other cause is left, so the lock is the cause; only `faults` could excuse the lock, and none
 * of them explains the violation. `isWhole`: the history names every fault of the run.
 */
export type Ground =
  | { readonly on: "history" }
  | { readonly on: "faults"; readonly faults: readonly number[] }
  | { readonly on: "operation"; readonly invoked: number; readonly isPerhapsRightful?: boolean }
  | { readonly on: "remedy"; readonly remedy: Remedy }
  | { readonly on: "rest"; readonly faults: readonly number[]; readonly isWhole: boolean };

/**
 * What prevents a violation. `local-timer`: a timer in the client stops the holder when its lease ends. `elapsed-check`: the
 * client discards a grant whose lease is over when it arrives. `fencing-resource`: the resource refuses fencing tokens that
 * are too old. `fsync`: the servers sync to disk before they reply.
 */
export const REMEDIES = ["elapsed-check", "local-timer", "fencing-resource", "fsync"] as const;
export type Remedy = (typeof REMEDIES)[number];

/** How the cause of a violation was established. */
export interface Proof {
  /**
   * `proven`: by the history itself, or by a run without the cause. `probable`: the cause fits, and nothing more is known.
   * `refuted`: the cause fits, but the violation happens without it too, and no other cause is known.
   */
  readonly standing: "proven" | "probable" | "refuted";
  /** What shows it, or why it is only probable: one sentence. */
  readonly by: string;
  /** The run that shows it, where one does. */
  readonly run?: CounterfactualRun;
  /** Hypotheses that fit as well, but whose counterfactual run still showed the violation. */
  readonly dropped?: readonly DroppedHypothesis[];
  /** The remedies that were tried, with their outcomes. */
  readonly remedies?: readonly TriedRemedy[];
}

/** A run of the same plan with one change. */
export interface CounterfactualRun {
  readonly change: Change;
  readonly traceHash?: string;
}

/** A fault of the plan, by its position, that comes at a time instead of at its trigger. */
export interface TimedFault {
  readonly step: number;
  /** Milliseconds since the start of the run, on the true clock. */
  readonly atMs: number;
  /** When it is healed, by the same clock; absent if the plan's own end of it applies. */
  readonly untilMs?: number | undefined;
}

/** What is different in a counterfactual run. `steps` are positions in the plan's list of faults. */
export type Change =
  | { readonly kind: "without-faults"; readonly steps: readonly number[] }
  | {
      readonly kind: "without-operation";
      /** Which client, and which of its operations of this kind, counted from 1; of an acquire, all later ones too. */
      readonly client: number;
      readonly f: "acquire" | "release" | "extend";
      readonly ordinal: number;
      /**
       * Faults of the plan that wait for something of this operation, by their positions, and when they come instead: at
       * the time at which they came in the original run. Absent: none.
       */
      readonly timed?: readonly TimedFault[];
    }
  /** In place of this release of the client, counted from 1, another owner tries to acquire the same key. */
  | { readonly kind: "with-probe"; readonly client: number; readonly ordinal: number }
  | { readonly kind: "with-remedy"; readonly remedy: Remedy };

export interface DroppedHypothesis {
  readonly cause: Cause;
  readonly why: string;
  readonly run: CounterfactualRun;
}

export interface TriedRemedy {
  readonly remedy: Remedy;
  /** `prevents`: the violation was gone; `no-help`: it was not; `undecided`: the run proved nothing. */
  readonly outcome: "prevents" | "no-help" | "undecided";
  readonly run: CounterfactualRun;
}

/** A hold as the history names it. */
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
  /**
   * Remarks that a reader should know and that do not change the verdict: for example a stale write that was refused.
   */
  readonly remarks: readonly string[];
  /** How close the run came to a violation. */
  readonly margins?: Margins;
}

/** How close a run came to a violation. A margin is absent if the history has nothing to measure it by. */
export interface Margins {
  /** The shortest time between the end of one hold and the grant of the same key to another owner. */
  readonly smallestGap?: Margin;
  /** The shortest time that a lease had left when its holder released it; negative if the lease was over by then. */
  readonly smallestValidityLeft?: Margin;
  /** The longest time for which a client or a node was observed to be stopped. */
  readonly largestPause?: Margin;
  /** The acquire that was passed most often, also of a lock that promises no order. Absent if none was. */
  readonly mostPassed?: PassedWait;
}

/** How often an acquire that was under way was passed. */
export interface PassedWait {
  /** How many acquires that were invoked after it were granted the key before it ended. */
  readonly grants: number;
  /** Indices of its invocation and of its completion. */
  readonly events: readonly number[];
}

export interface Margin {
  readonly nanoseconds: number;
  /** Indices of the two events that it lies between, or of the event at which it was measured. */
  readonly events: readonly number[];
}

/** Exit codes, the same as Jepsen's where they mean the same. */
export const EXIT = { valid: 0, invalid: 1, unknown: 2, usage: 254, harness: 255 } as const;
