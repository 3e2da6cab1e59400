import { clientOf } from "../../history/clients.ts";
import type { Hold } from "../../history/holds.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import { type HistoryEvent, NANOSECONDS_PER_MS } from "../../history/history.ts";
import { longestTtlMs } from "../../history/holds/lease.ts";
import { mayRemainOnSome } from "../../history/holds/over-for-certain.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { ownerName, statedOwner } from "../../history/owner-value.ts";
import { BESIDE_OTHERS, NEVER_ANSWERED, statedIn, UNORDERED } from "../../history/unordered.ts";
import type { Overlap } from "./overlaps.ts";

/** How many past operations the search for the cause of an overlap looks at, per key. */
const REMEMBERED_PER_KEY = 64;
/** The same, where there are more than `MANY_KEYS`: each takes a few hundred bytes. */
const REMEMBERED_OF_MANY = 4;
const MANY_KEYS = 1000;

/** Of how many overlaps of leases the interferences are kept: far more than are listed. */
const KEPT_OVERLAPS = 1000;

/**
 * An operation that took the lock from somebody, or may have done so: a release that reported `released: true`, an
 * extension that reported success, or either of them with an indeterminate end. Times are nanoseconds since the start
 * of the run.
 */
export interface Interference {
  readonly f: "release" | "extend";
  /** Whether its owner states that it had released before. */
  readonly isAgain: boolean;
  readonly certain: boolean;
  /** It reported success, and a coarse clock leaves open whether it was over before what else happened at that time. */
  readonly isUnordered: boolean;
  /** Whether the recording has its end. */
  readonly isAnswered: boolean;
  readonly process: number;
  readonly owner: string;
  /** The owner value that the recording has, if that is another. */
  readonly stated?: string | undefined;
  /**
   * When the lease ended that the owner had when it invoked the operation, or when it was told that it had lost it;
   * undefined if it had none.
   */
  readonly ownLeaseEnd?: number | undefined;
  /** The latest end of that lease: it may have begun as late as it was granted. */
  readonly ownLeaseEndAtMost?: number | undefined;
  /** Whether some of several independent servers may still have had it then. */
  readonly ownMayRemain?: boolean | undefined;
  /** Index of the event by which its owner had asked to release all of its own before; undefined if it had not. */
  readonly ownReleasedIndex?: number | undefined;
  /** Whether nothing says when that lease began, because the lock may have waited. */
  readonly ownIsVague?: boolean | undefined;
  /** If it had no known hold, but was granted the key at a time that a coarse clock leaves open: it may have found that. */
  readonly unplaced: UnplacedGrant | undefined;
  /** Whether it had no known hold, but its client may have been granted the key by an acquire of unknown outcome. */
  readonly mayBeGranted?: boolean | undefined;
  /** Index of the event that granted the owner its own hold; undefined if it had none. */
  readonly ownGrantedIndex: number | undefined;
  /** When that was. */
  readonly ownGrantedTime: number | undefined;
  readonly invokedIndex: number;
  readonly invokedTime: number;
  readonly completedIndex: number;
  readonly completedTime: number;
}

/** A grant of which a coarse clock leaves open what came before it. */
export interface UnplacedGrant {
  /** When it was answered, at the latest. */
  readonly time: number;
  /** When its lease was over, at the latest. */
  readonly leaseEndAtMost: number;
}

/** How many grants are remembered of which a coarse clock leaves the time open. */
const REMEMBERED_GRANTS = 20_000;

/** A hold to which a release or an extension refers, and its lease when that was invoked. */
interface Own {
  readonly hold: Hold;
  readonly before: OwnLease;
}

type OwnLease = Pick<Interference, "ownLeaseEnd" | "ownLeaseEndAtMost" | "ownMayRemain" | "ownReleasedIndex">;

/** The lease of a hold when a process asks to release or to extend it. */
function leaseOf(hold: Hold, { process, time, index }: Pick<InvocationEvent, "process" | "time" | "index">): OwnLease {
  const { end, leaseEnd, leaseEndAtMost } = hold;
  return {
    ownLeaseEnd: end?.by === "lost" ? Math.min(leaseEnd, end.time) : leaseEnd,
    ownLeaseEndAtMost: leaseEndAtMost,
    ownMayRemain: mayRemainOnSome(hold, time, process),
    ownReleasedIndex: end?.by === "release" && end.index < index ? end.index : undefined,
  };
}

/** Remembers the last interferences of each key. */
export class InterferenceLog {
  readonly #byKey = new Map<string, Interference[]>();
  readonly #ofOverlaps = new Map<Overlap, readonly Interference[]>();
  /** By process, the hold to which its open release or extension refers, and its lease before that. */
  readonly #own = new Map<number, Own>();
  /** By key and owner value, the grants of which a coarse clock leaves the time open. */
  readonly #unplaced = new OldestFirst<string, UnplacedGrant>(REMEMBERED_GRANTS);
  /** By key and client, whether an acquire of unknown outcome may have granted it. */
  readonly #unknown = new OldestFirst<string, true>(REMEMBERED_GRANTS);
  /** The holds whose release was told as failed. */
  readonly #kept = new WeakSet<Hold>();
  readonly #clients: number | undefined;

  /** @param clients how many clients ran, where the history says so */
  constructor(clients: number | undefined) {
    this.#clients = clients;
  }

  /** The last interferences of a key, as they are now. */
  of(key: string): readonly Interference[] {
    return [...(this.#byKey.get(key) ?? [])];
  }

  /** The last interferences of an overlap of leases, now that it is over; every property explains it by them. */
  conclude(overlap: Overlap): readonly Interference[] {
    const found = this.of(overlap.first.key);
    if (this.#ofOverlaps.size < KEPT_OVERLAPS) this.#ofOverlaps.set(overlap, found);
    return found;
  }

  /** The same, if that overlap is over. */
  ofConcluded(overlap: Overlap): readonly Interference[] | undefined {
    return this.#ofOverlaps.get(overlap);
  }

  /** Whether its client called release and was told that it failed, so that it had no effect. */
  failedToRelease(hold: Hold): boolean {
    return this.#kept.has(hold);
  }

  /** Drops what is known of a key that will not be used again. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  push(event: HistoryEvent, invocation: InvocationEvent | undefined, own: Hold | undefined): void {
    if (event.type === "invoke") {
      if (own === undefined) this.#own.delete(event.process);
      else this.#own.set(event.process, { hold: own, before: leaseOf(own, event) });
      return;
    }
    if (event.type !== "ok" && event.type !== "fail" && event.type !== "info") return;
    this.#rememberUnplaced(event, invocation);
    const referred = this.#own.get(event.process) ?? grantedMeanwhile(own, invocation);
    this.#own.delete(event.process);
    if (event.type === "fail" && invocation?.f === "release" && referred !== undefined) this.#kept.add(referred.hold);
    const found = interferenceOf(event, invocation, referred, this.#unplaced);
    if (found === undefined) return;
    const isUnknown = referred === undefined && this.#unknown.get(this.#clientName(event)) === true;
    const interference = isUnknown ? { ...found, mayBeGranted: true } : found;
    const remembered = this.#byKey.get(event.key);
    if (remembered === undefined) this.#byKey.set(event.key, [interference]);
    else if (remembered.push(interference) > 2 * this.#remembered)
      remembered.splice(0, remembered.length - this.#remembered);
  }

  /** Where nobody knows how many clients ran, an acquire may be of any. */
  #clientName({ key, process }: Pick<CompletionEvent, "key" | "process">): string {
    return ownerName(key, this.#clients === undefined ? "" : String(clientOf(process, this.#clients)));
  }

  get #remembered(): number {
    return this.#byKey.size > MANY_KEYS ? REMEMBERED_OF_MANY : REMEMBERED_PER_KEY;
  }

  #rememberUnplaced(event: CompletionEvent, invocation: InvocationEvent | undefined): void {
    if (invocation?.f === "acquire" && event.type === "info") {
      const { owner, validForMs = 0 } = statedIn(event);
      const leaseEndAtMost = event.time + Math.max(longestTtlMs(invocation), validForMs) * NANOSECONDS_PER_MS;
      if (owner === undefined) this.#unknown.set(this.#clientName(event), true);
      else this.#unplaced.set(ownerName(event.key, owner), { time: event.time, leaseEndAtMost });
    } else if (invocation?.f === "extend" && event.type !== "fail") {
      const place = ownerName(event.key, invocation.value.owner);
      const grant = this.#unplaced.get(place);
      // Which lease it set is of no account: the grant is remembered for as long as anybody may mean it.
      if (grant !== undefined) this.#unplaced.set(place, { ...grant, leaseEndAtMost: Infinity });
    }
  }
}

/** What its owner was granted while it was under way, by clocks of which one is late: it may have found that. */
function grantedMeanwhile(own: Hold | undefined, invocation: InvocationEvent | undefined): Own | undefined {
  if (own === undefined || invocation === undefined || own.grantedIndex < invocation.index) return undefined;
  return { hold: own, before: leaseOf(own, invocation) };
}

/**
 * The interferences whose owner may have given up what was its own, and the others: its lease may have begun as late as it was
 * granted, or it was granted the lock in a hold whose lease may have been over, and may have found its own copy after its lease, or
 * it may have been granted the lock by an acquire of unknown outcome.
 */
export function byRight(
  all: readonly Interference[],
  { grantedIndex }: Pick<Hold, "grantedIndex">,
): readonly [rightful: readonly Interference[], others: readonly Interference[]] {
  const isInTime = ({ ownLeaseEndAtMost = -Infinity, invokedTime }: Interference): boolean =>
    ownLeaseEndAtMost >= invokedTime;
  const isRightful = (interference: Interference): boolean =>
    isInTime(interference) ||
    interference.mayBeGranted === true ||
    (interference.ownGrantedIndex ?? -Infinity) > grantedIndex;
  return [all.filter(isRightful), all.filter((interference) => !isRightful(interference))];
}

/** The interferences of which nobody knows whether they took effect, and those that reported success. */
export function byAnswer(
  all: readonly Interference[],
): readonly [unanswered: readonly Interference[], reported: readonly Interference[]] {
  return [all.filter(({ certain }) => !certain), all.filter(({ certain }) => certain)];
}

/** Whether it was over when a hold was granted. In one step of a coarse clock that is the ordinary course: a lock changes hands. */
export function isOverBefore(
  { certain, isUnordered, completedIndex, completedTime }: Interference,
  { grantedIndex, grantedTime }: Pick<Hold, "grantedIndex" | "grantedTime">,
): boolean {
  return (certain && completedIndex < grantedIndex) || (isUnordered && completedTime <= grantedTime);
}

export function answerInWords({ certain, isUnordered, isAnswered }: Interference): string {
  if (certain || isUnordered) return "reported success";
  return `${isAnswered ? "ended without a known outcome" : "was never answered"} and may have taken effect`;
}

/** The events of the recording that begin and end it. */
export function eventsOf({ isAnswered, invokedIndex, completedIndex }: Interference): readonly number[] {
  return isAnswered ? [invokedIndex, completedIndex] : [invokedIndex];
}

export function eventsInWords(interference: Interference): string {
  const events = eventsOf(interference);
  return `${events.length === 1 ? "event" : "events"} ${events.join(" and ")}`;
}

/**
 * The interference that this event completes, if any.
 *
 * @param own the hold to which it refers
 * @param unplaced by key and owner value, the grants of which a coarse clock leaves the time open
 */
export function interferenceOf(
  event: HistoryEvent,
  invocation: InvocationEvent | undefined,
  own: Own | undefined,
  unplaced?: { readonly get: (place: string) => UnplacedGrant | undefined },
): Interference | undefined {
  if (invocation === undefined || (invocation.f !== "release" && invocation.f !== "extend")) return undefined;
  if (event.type !== "ok" && event.type !== "info") return undefined;
  if (statedIn(event).released === false) return undefined;
  return {
    f: invocation.f,
    isAgain: invocation.value.again === true,
    certain: event.type === "ok",
    isUnordered: event.type === "ok" ? BESIDE_OTHERS in event : event.value?.reason === UNORDERED,
    isAnswered: !(NEVER_ANSWERED in event),
    process: invocation.process,
    owner: invocation.value.owner,
    stated: statedOwner(invocation),
    // An extension has set another lease meanwhile.
    ...(own && (invocation.f === "extend" ? own.before : leaseOf(own.hold, invocation))),
    unplaced: own === undefined ? unplaced?.get(ownerName(invocation.key, invocation.value.owner)) : undefined,
    ownIsVague: own?.hold.vague,
    ownGrantedIndex: own?.hold.grantedIndex,
    ownGrantedTime: own?.hold.grantedTime,
    invokedIndex: invocation.index,
    invokedTime: invocation.time,
    completedIndex: event.index,
    completedTime: event.time,
  };
}
