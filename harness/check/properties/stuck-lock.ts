import type { Hypothesis } from "../../core/verdict.ts";
import { knownTopology } from "../../core/topologies/registry.ts";
import { isEndless } from "../../history/holds/endless-lease.ts";
import { type HistoryHeader, NANOSECONDS_PER_MS, type RenewedEvent } from "../../history/history.ts";
import type { Hold } from "../../history/holds.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import { clientInWords, timeWords } from "../words.ts";

/** What came since the last grant of a key: the last acquire of unknown outcome, and how a release ended, if one did. */
export interface Doubt {
  readonly acquire?: Extract<InvocationEvent, { f: "acquire" }> | undefined;
  readonly release?: "done" | "failed" | "unknown" | undefined;
}

/** How long a lock may take beyond the TTL, for its retry interval and for everything to settle. */
export const SLACK = 2000 * NANOSECONDS_PER_MS;

export type Seek = Extract<InvocationEvent, { f: "acquire" }>;
export type Refusal = Extract<CompletionEvent, { f: "acquire"; type: "fail" }>;

/** What is known of a key. */
export interface WatchedKey {
  /** The largest TTL anybody asked for, or the longest lease that was promised: some locks have leases of their own. */
  maxTtl: number;
  /** The largest TTL that anybody asked for, and the longest lease that was promised, as a reader of the history finds them. */
  maxAsked: number;
  maxPromised: number;
  /** Since when no client has meant to hold, for certain. */
  idleSince: number;
  lastHold: Hold | undefined;
  doubt: Doubt;
  /** The last renewal of the lease of the last hold after that hold had ended. */
  lateRenewal: RenewedEvent | undefined;
  /** Acquires that are under way, by process. */
  readonly seeking: Map<number, Seek>;
  /** Processes whose release or extension is under way: until it is over the lock may be theirs. */
  readonly changing: Set<number>;
  /** Faults that ended a client which may have left the lock behind, by index: its holder, or one that asked for it. */
  deaths: Map<number, "holder" | "seeker"> | undefined;
  /** Whether anything but a holder that is known has ever been able to leave the key held. */
  mayBeLeft: boolean;
  /** How many acquires of unknown outcome may still take effect, each once. */
  unknown: number;
  /** The acquire that was refused last. */
  lastRefusal: { readonly process: number; readonly time: number } | undefined;
  suspicion: Suspicion | undefined;
  /** Since when refusals that were called violations say that the key is stuck, and the last of them: nothing else happened. */
  streak: { readonly since: number; readonly until: number } | undefined;
  /** A refusal since the last grant that only a hold from before the history explains, or tries that refused one another. */
  unexplained: Suspicion | undefined;
  /** Since when clients that asked at the same time have been refused, and none has been granted it. */
  splitSince: number | undefined;
}

/** A refusal that no hold explains, unless an acquire under way at the time was granted the lock. */
export interface Suspicion extends Stuck {
  readonly seek: Seek;
  readonly refusal: Refusal;
  /** When the try saw the lock taken at the latest. */
  readonly seenTaken: number;
  /** Since when the key has been stuck, `idleSince` or earlier: violations before this one count from then, too. */
  readonly stuckSince: number;
  readonly underWay: Set<number>;
  /** Whether another client waited for the lock then. */
  readonly isBesideAnother: boolean;
  /** Whether tries at the same time may have refused one another. */
  readonly mayBeSplit: boolean;
  /** The last renewal of the lease of the last hold after that hold had ended, when the client was refused. */
  readonly lateRenewal: RenewedEvent | undefined;
}

/** A key that nobody has asked for. */
export function untouchedKey(): WatchedKey {
  return {
    maxTtl: 0,
    maxAsked: 0,
    maxPromised: 0,
    idleSince: 0,
    lastHold: undefined,
    doubt: {},
    lateRenewal: undefined,
    seeking: new Map<number, Seek>(),
    changing: new Set<number>(),
    deaths: undefined,
    mayBeLeft: false,
    unknown: 0,
    lastRefusal: undefined,
    suspicion: undefined,
    streak: undefined,
    unexplained: undefined,
    splitSince: undefined,
  };
}

/** Whether it is the lease of the last hold that is renewed, although that hold has ended. */
export function isRenewedLate({ lastHold }: WatchedKey, { value }: RenewedEvent): boolean {
  return lastHold?.end !== undefined && lastHold.owner === value.owner;
}

/** Why a lock that nobody is known to hold is not free. An operation of unknown outcome is never told as if it had its effect. */
export function whyStuck(
  header: HistoryHeader,
  { seek, lastHold, doubt: { acquire, release } }: Pick<Stuck, "seek" | "lastHold" | "doubt">,
  lateRenewal?: RenewedEvent,
): Pick<Hypothesis, "why" | "orElse"> {
  if (lastHold?.end !== undefined && lateRenewal !== undefined) {
    const why = `the lock went on renewing the lease of ${clientInWords(header, lastHold.process)} after the end of its hold, last at ${timeWords(lateRenewal.time)}`;
    return { why };
  }
  const stuck = "the lock had not become free by itself";
  if (acquire !== undefined) {
    const why = `${stuck} after the acquire of ${clientInWords(header, acquire.process)} at ${timeWords(acquire.time)}, which may have taken it: its outcome is unknown`;
    return { why };
  }
  const isReleased = lastHold?.end?.by === "release" && (release === undefined || release === "done");
  if (!isReleased) return { why: stuck };
  const why = "the lock was not free although its holder had released it";
  // Nothing but its answers shows whether it was free.
  const orElse = ", or it was, and a client that waited for it was not woken";
  return seek.value.waitMs === 0 ? { why } : { why, orElse };
}

/** A refusal, and what is known of the holders before it. */
export interface Stuck {
  /** The try that was refused. */
  readonly seek: Extract<InvocationEvent, { f: "acquire" }>;
  readonly refusal: { readonly key: string; readonly time: number };
  /** Since when nobody is known to have held the key. */
  readonly idleSince: number;
  readonly lastHold: Hold | undefined;
  readonly doubt: Doubt;
}

/** The shortest lease that explains a refusal, in nanoseconds. */
export function explainedFrom({ seenTaken, stuckSince }: Suspicion): number {
  return seenTaken - stuckSince - SLACK;
}

/**
 * Whether two tries at the same time may have refused each other. If each asks several servers, each may win some of
 * them for a moment. With one master at a time, a try that is refused as contended held nothing.
 */
export function mayShareVotes(
  header: HistoryHeader,
  { seeking, lastRefusal }: WatchedKey,
  refusal: Refusal,
  seek: Seek,
): boolean {
  if (!mayAskSeveralServers(header)) return false;
  if (seeking.size > 0) return true;
  const since = (seek.value.waitMs ?? 0) > 0 ? Math.max(seek.time, refusal.time - SLACK) : seek.time;
  return lastRefusal !== undefined && lastRefusal.process !== refusal.process && lastRefusal.time >= since;
}

/** Why nobody knows whether a lock that refused a client was stuck. */
export function undecidedInWords(header: HistoryHeader, suspicion: Suspicion): string {
  return suspicion.mayBeSplit ? splitInWords(header, suspicion) : heldBeforeInWords(header, suspicion);
}

function splitInWords(header: HistoryHeader, { refusal, idleSince }: Suspicion): string {
  const state =
    knownTopology(header["topology"]) === undefined
      ? '; if one server decides at a time, write "topology":"single" in the first line'
      : "";
  return `${refusal.key} was refused as contended at ${timeWords(refusal.time)} although nobody is known to have held it for ${timeWords(refusal.time - idleSince)}: the lock may be stuck, or, if it lives on several servers, clients that asked at the same time refused one another${state}`;
}

function heldBeforeInWords(header: HistoryHeader, { refusal, idleSince, lastHold, doubt: { acquire } }: Stuck): string {
  const since = lastHold === undefined ? "" : ` since ${timeWords(idleSince)}`;
  const open =
    acquire === undefined
      ? ""
      : `nobody knows the outcome of the acquire of ${clientInWords(header, acquire.process)} at ${timeWords(acquire.time)}, and `;
  return `${refusal.key} was refused as contended at ${timeWords(refusal.time)} although nobody is known to have held it${since}, but ${open}somebody may have held it since before the history began, for an unknown time`;
}

/** How the release of the last hold of a key has ended, after this event: one that failed for certain has freed nothing. */
export function doubtAfter(
  { doubt, lastHold }: Pick<WatchedKey, "doubt" | "lastHold">,
  event: InvocationEvent | CompletionEvent,
): Doubt {
  if (event.f !== "release" || event.type === "invoke" || doubt.release === "unknown") return doubt;
  if (event.type === "info") return { ...doubt, release: "unknown" };
  if (event.type === "ok") return event.value.released ? { ...doubt, release: "done" } : doubt;
  const isOfLast = lastHold?.end?.by === "release" && lastHold.currentProcess === event.process;
  return isOfLast && doubt.release === undefined ? { ...doubt, release: "failed" } : doubt;
}

/** Whether a release was answered otherwise than that it freed its key. */
export function mayNotHaveFreed(event: InvocationEvent | CompletionEvent): boolean {
  return event.f === "release" && event.type !== "invoke" && !(event.type === "ok" && event.value.released);
}

/**
 * Whether a refused try may have been granted the lock by servers so slowly that its lease was over or nearly so: a lock on
 * several servers then gives its votes back, and says the same as if another client held it. Which part of a lease it must
 * have left is the library's choice; half of it is longer than any takes for drift.
 */
export function mayHaveRunOut(
  header: HistoryHeader,
  { time, value: { ttlMs, waitMs } }: Stuck["seek"],
  refusedAt: number,
): boolean {
  if (!mayAskSeveralServers(header)) return false;
  return (refusedAt - time) / NANOSECONDS_PER_MS - (waitMs ?? 0) > ttlMs / 2;
}

/** Whether the lock may live on several servers that know nothing of each other. */
function mayAskSeveralServers(header: HistoryHeader): boolean {
  const topology = knownTopology(header["topology"]);
  return topology === undefined || topology.arrangement === "independent";
}

/** What may have left a key held. */
interface Remains {
  readonly maxTtl: number;
  readonly mayBeLeft: boolean;
  readonly deaths: ReadonlyMap<number, unknown> | undefined;
  readonly lastHold: Hold | undefined;
}

/**
 * For how long a lock may stay held that nobody is known to hold, in nanoseconds. One without leases is free at once if all who
 * were granted it, if anybody was, have released it; what several servers are left with, no answer says.
 */
export function longestLeft(header: HistoryHeader, { maxTtl, mayBeLeft, deaths, lastHold }: Remains): number {
  const { arrangement = "independent" } = knownTopology(header["topology"]) ?? {};
  const isReleased = lastHold === undefined || lastHold.end?.by === "release";
  const isFreed = !mayBeLeft && deaths === undefined && isReleased;
  return isEndless(maxTtl) && isFreed && arrangement !== "independent" ? 0 : maxTtl;
}

/** The longest TTLs of a key's clients, in nanoseconds: asked for, and promised by the lock. */
interface LongestTtl {
  readonly maxAsked: number;
  readonly maxPromised: number;
}

/** That no client had a longer TTL, after "no client". */
export function hadNoMore({ maxAsked, maxPromised }: LongestTtl): string {
  const had = maxPromised > maxAsked ? "had asked for, or had been promised," : "had asked for";
  return `${had} a TTL of more than ${timeWords(Math.max(maxPromised, maxAsked))}`;
}

/** Why the lock should be free by now. */
export function whyFree(longest: LongestTtl & Pick<Remains, "lastHold">): string {
  if (!isEndless(longest.maxAsked)) return `No client ${hadNoMore(longest)}.`;
  return longest.lastHold === undefined
    ? "It has no leases, and no client was ever granted it."
    : "It has no leases, and every client that was granted it had released it.";
}

const ENDS = { done: "", failed: ", which failed", unknown: ", with an unknown outcome" } as const;

/** How a hold ended. */
export function endInWords({ end, grantedTime, leaseEnd }: Hold, { release }: Doubt): string {
  switch (end?.by) {
    case undefined:
      return isEndless(leaseEnd - grantedTime) ? "never released it" : `had a lease until ${timeWords(leaseEnd)}`;
    case "release":
      return `called release at ${timeWords(end.time)}${release === undefined ? "" : ENDS[release]}`;
    case "lost":
      return `was notified at ${timeWords(end.time)} that its lease was lost`;
    case "kill":
      return `died at ${timeWords(end.time)}`;
    case "abandoned":
      return `acquired it again at ${timeWords(end.time)}`;
  }
}
