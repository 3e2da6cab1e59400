import { knownTopology } from "../../core/topologies/registry.ts";
import { isEndless } from "../../history/holds/endless-lease.ts";
import { type HistoryHeader, NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { Hold } from "../../history/holds.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import { clientInWords, timeWords } from "../words.ts";

/** The operations of unknown outcome since the last grant of a key: the last acquire, and whether a release is one. */
export interface Doubt {
  readonly acquire?: Extract<InvocationEvent, { f: "acquire" }> | undefined;
  readonly release?: boolean | undefined;
}

/** Why a lock that nobody is known to hold is not free. An operation of unknown outcome is never told as if it had its effect. */
export function whyStuck(
  header: HistoryHeader,
  { seek, lastHold, doubt: { acquire, release } }: Pick<Stuck, "seek" | "lastHold" | "doubt">,
): string {
  const stuck = "the lock did not become free by itself";
  if (acquire !== undefined) {
    return `${stuck} after the acquire of ${clientInWords(header, acquire.process)} at ${timeWords(acquire.time)}, which may have taken it: its outcome is unknown`;
  }
  const isReleased = lastHold?.end?.by === "release" && release !== true;
  if (!isReleased) return stuck;
  const notFree = "the lock was not free although its holder had released it";
  // Nothing but its answers shows whether it was free.
  return seek.value.waitMs === 0 ? notFree : `${notFree}, or it was, and a client that waited for it was not woken`;
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

/** Why nobody knows whether a lock that refused a client was stuck. */
export function heldBeforeInWords(
  header: HistoryHeader,
  { refusal, idleSince, lastHold, doubt: { acquire } }: Stuck,
): string {
  const since = lastHold === undefined ? "" : ` since ${timeWords(idleSince)}`;
  const open =
    acquire === undefined
      ? ""
      : `nobody knows the outcome of the acquire of ${clientInWords(header, acquire.process)} at ${timeWords(acquire.time)}, and `;
  return `${refusal.key} was refused as contended at ${timeWords(refusal.time)} although nobody is known to have held it${since}, but ${open}somebody may have held it since before the history began, for an unknown time`;
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
export function mayAskSeveralServers(header: HistoryHeader): boolean {
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
 * were granted it have released it; what several servers are left with, no answer says.
 */
export function longestLeft(header: HistoryHeader, { maxTtl, mayBeLeft, deaths, lastHold }: Remains): number {
  const { arrangement = "independent" } = knownTopology(header["topology"]) ?? {};
  const isFreed = !mayBeLeft && deaths === undefined && lastHold?.end?.by === "release";
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
export function whyFree(longest: LongestTtl): string {
  return isEndless(longest.maxAsked)
    ? "It has no leases, and every client that was granted it had released it."
    : `No client ${hadNoMore(longest)}.`;
}

/** How a hold ended. */
export function endInWords({ end, grantedTime, leaseEnd }: Hold, { release }: Doubt): string {
  switch (end?.by) {
    case undefined:
      return isEndless(leaseEnd - grantedTime) ? "never released it" : `had a lease until ${timeWords(leaseEnd)}`;
    case "release":
      return release === true
        ? `called release at ${timeWords(end.time)}, with an unknown outcome`
        : `called release at ${timeWords(end.time)}`;
    case "lost":
      return `was notified at ${timeWords(end.time)} that its lease was lost`;
    case "kill":
      return `died at ${timeWords(end.time)}`;
    case "abandoned":
      return `acquired it again at ${timeWords(end.time)}`;
  }
}
