import type { HistoryEvent } from "../history.ts";
import type { InvocationEvent } from "../operations.ts";
import type { Share } from "../../core/sharing.ts";
import type { LeaseCut, Promised } from "../leases.ts";
import type { AskedLease } from "./lease.ts";

/**
 * A definite hold: it begins with the completion of the acquire and lasts for as long as the client certainly meant to hold
 * the lock. Because it begins with a completion and ends with an invocation, it is an inner bound: if two definite holds
 * overlap, the real holds overlapped. Times are nanoseconds since the start of the run, positions are event indices.
 */
export interface Hold {
  readonly key: string;
  readonly owner: string;
  /** The owner value that its grant has in the recording, if that is another. */
  readonly stated?: string | undefined;
  /** The process that was granted it. Its client may act under a later number, `currentProcess`. */
  readonly process: number;
  currentProcess: number;
  readonly fence: number | undefined;
  /**
   * How it excludes others. If an owner enters again in another mode, it may have either mode, and the weaker one counts; but a
   * reader that was granted the key as a writer too holds as one until its next release.
   */
  share: Share;
  /** Whether it is a reader's that became a writer's: before, and perhaps after its next release, others may read beside it. */
  wasReader: boolean;
  /**
   * The same as its grant states it, where `share` is less because of an acquire of unknown outcome of which the history does not
   * say whose it is.
   */
  shareAsStated: Share | undefined;
  /** The server that has the lock, if the grant says so. */
  readonly place: string | undefined;
  /** Whether others did something at the same time as it was granted, by a clock that does not say in which order. */
  readonly besideOthers: boolean;
  /** By how much it may have been granted before `grantedTime`, by clocks of which one may be late, in nanoseconds. */
  readonly grantedWithin: number;
  readonly invokedIndex: number;
  readonly invokedTime: number;
  readonly grantedIndex: number;
  readonly grantedTime: number;
  /** Whether the lock said for how long the grant was valid. */
  readonly validityReported: boolean;
  /** Whether the lock could not say when its lease began: it may have waited, and reports no validity. */
  readonly vague: boolean;
  /** Whether its request allowed the lock to wait, so that not its first try may have been granted. */
  readonly mayHaveWaited: boolean;
  /** From when the lease of the grant counts: a stated moment, or else the answer; without a reported validity, the request. */
  readonly countedFrom: number;
  /** By how much a coarse clock leaves open when its lease ends, in nanoseconds: the ends that are known are the earliest. */
  readonly clockSlack: number;
  /** When the lease that the grant itself set began at the earliest: a lock that waited may state that it began long after the request. */
  readonly grantedLeaseBegin: number;
  /** The end of the lease that the grant itself set. */
  readonly grantedLeaseEnd: number;
  /** The earliest end of the present lease on the true clock. The lock promised nothing beyond it. */
  leaseEnd: number;
  /** Why `leaseEnd` is earlier than the holder was last told, if it is. */
  leaseCut: LeaseCut | undefined;
  /** The present lease as it was asked for, if the lock reported a validity and had no reason to wait. */
  leaseAsked: AskedLease | undefined;
  /** The latest end of the present lease, if only recorded operations prolonged it. */
  leaseEndAtMost: number;
  /** How its present lease came about; `Leases` alone reads and writes it. */
  promised: Promised | undefined;
  /**
   * The last event that shows that its client meant to hold: its grant, an operation on the key, a re-entry that its
   * client states, or the hold's end by release, lost notice or crash. A client that never releases may have forgotten
   * the lock since.
   */
  lastSignIndex: number;
  lastSignTime: number;
  /** The last write of its client that was begun, or answered, after the lease that it had then: which, and when. */
  lateWrite: { readonly data: string; readonly begun: number; readonly until: number } | undefined;
  /** Whether its owner has entered it in both modes of a read-write lock, or may have: one release may end it. */
  hasTwoModes: boolean;
  /**
   * Whether an acquire of unknown outcome by its client asked for the other mode: it may go on under an owner value that only its
   * client knows.
   */
  mayBeRenamed: boolean;
  /** How many of its owner's entries are not released. */
  depth: number;
  /** How many more there may be: its owner was granted the key again, and may have entered it or renewed its lease. */
  possibleEntries: number;
  /** How many more there may be by acquires of unknown outcome. */
  unknownEntries: number;
  /** The last release that gave back one of several entries, and the process that called it. */
  innerRelease: { readonly index: number; readonly time: number; readonly process: number } | undefined;
  /**
   * Whether its client has since been granted the key under another owner value: the client no longer holds, but the
   * lease stays promised.
   */
  forgotten: boolean;
  /**
   * Processes that asked for the key since, without saying that they re-enter, perhaps under the same owner value; nobody knows the
   * outcome. What the client of such a process does then under that value may mean the hold that it was granted by that.
   */
  askedSince: readonly number[] | undefined;
  /** The last sign that its client means to hold, where it may mean what such a process asked for. */
  doubtedSign: { readonly event: HistoryEvent; readonly operation: InvocationEvent | undefined } | undefined;
  /** Processes that may be its client's, and were granted the key since under another owner value. */
  maybeReplacedBy: readonly number[] | undefined;
  /** Whether one of its entries may be another client's, which uses the same owner value: nobody knows which. */
  maybeOfTwo: boolean;
  /**
   * The process that held the key under this owner value when another one was last granted it, if it went on beside that:
   * the history does not say whether the two are threads of one client.
   */
  sharedWith: number | undefined;
  /**
   * Whether its owner may have given it up before it knew of it: a release of the same owner value was under way beside its
   * acquire; or it may go on under another owner value, under which its client was granted the other mode. Nothing is certain of
   * such a hold until it is extended.
   */
  doubtful: boolean;
  /** Index of the grant of the other mode under another owner value, or -1: the hold may go on under that value since. */
  changedIndex: number;
  /**
   * Index of the extension that was answered, or the renewal that was told, when its lease may have been over, or -1.
   * From then on it may be another hold of the same owner.
   */
  resumedIndex: number;
  /**
   * The last event that told its client of its lease, when the lock last said that it had renewed the lease by itself: it did so
   * after that event, or, where it is only possible, perhaps before.
   */
  renewedSince: { readonly index: number; readonly time: number } | undefined;
  end: HoldEnd | undefined;
}

/** Whether it excludes all others from its grant on. */
export function heldAlone({ share, wasReader }: Pick<Hold, "share" | "wasReader">): boolean {
  return share.kind === "exclusive" && !wasReader;
}

export interface HoldEnd {
  readonly by: "release" | "lost" | "kill" | "abandoned";
  readonly index: number;
  readonly time: number;
}

export type HoldChange =
  | { readonly kind: "granted" | "extended"; readonly hold: Hold }
  /** The lock set a shorter lease by itself, before or after it last told its client of one. */
  | { readonly kind: "possibly-renewed"; readonly hold: Hold }
  /** The owner entered again. `fence` is what this grant reported; `upgrades`: a reader became a writer. */
  | {
      readonly kind: "reentered";
      readonly hold: Hold;
      readonly fence: number | undefined;
      readonly upgrades: boolean;
    }
  | { readonly kind: "ended"; readonly hold: Hold };
