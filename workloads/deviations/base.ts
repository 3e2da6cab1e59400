import type { Plan } from "../../harness/core/plan.ts";
import type { WireMessage } from "../../harness/core/messages/wire-message.ts";
import { topologyOf } from "../../harness/core/topologies/registry.ts";
import { clientName } from "../../harness/core/topology.ts";
import { type History, NANOSECONDS_PER_MS } from "../../harness/history/history.ts";
import { collectHolds } from "../../harness/history/hold-spans.ts";
import { collectOperations } from "../../harness/history/operation-spans.ts";

/** A workload with what its run without faults has shown: what deviations start from. */
export interface Base {
  readonly name: string;
  readonly plan: Plan;
  readonly history: History;
  /** What its clients sent to servers, in the order of sending. */
  readonly messages: readonly WireMessage[];
  readonly deadlines: Deadlines;
}

/** Whether several servers vote, so that some of them can be hit. */
export function isVoted({ plan: { topology } }: Pick<Base, "plan">): boolean {
  return topologyOf(topology.kind).arrangement === "independent";
}

/** When leases began and ended in a run without faults, in milliseconds since its start. */
export interface Deadlines {
  /** The lease that the workload asks for. */
  readonly leaseMs: number;
  readonly leases: readonly Span[];
  /** From each grant until its client gives it up. */
  readonly holds: readonly Span[];
  /** While somebody asks for the lock, and for how long a lease. */
  readonly requests: readonly Request[];
  /** How long a client waits for a reply before it goes on without it. Absent: for longer than any fault lasts, or unknown. */
  readonly patienceMs?: number | undefined;
}

interface Request extends Span {
  readonly ttlMs: number;
}

interface Span {
  readonly client: string;
  /** The key that it is about. Absent: the only one. */
  readonly key?: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a run without faults shows of its deadlines, and how long clients wait for a reply, which another run has shown. */
export function deadlinesOf(plan: Plan, { events }: History, patienceMs?: number): Deadlines {
  const clients = plan.clients.length;
  const endNs = events.at(-1)?.time ?? 0;
  const leaseMs = Math.max(...plan.clients.flatMap(({ sections }) => sections.map(({ ttlMs }) => ttlMs)));
  const spanOf = (
    span: { readonly client: number; readonly from: number; readonly to: number },
    key: string | undefined,
  ): Span => {
    return {
      client: clientName(span.client),
      key,
      fromMs: span.from / NANOSECONDS_PER_MS,
      toMs: span.to / NANOSECONDS_PER_MS,
    };
  };
  const leases = events.flatMap((event): readonly Span[] => {
    if (event.type !== "renewed" && (event.type !== "ok" || (event.f !== "acquire" && event.f !== "extend"))) return [];
    const { validForMs = leaseMs, grantedAt = event.time } = event.value;
    const fromMs = grantedAt / NANOSECONDS_PER_MS;
    return [{ client: clientName(event.process % clients), fromMs, toMs: fromMs + validForMs }];
  });
  const requests = collectOperations(events, endNs, { clients }).flatMap((span): readonly Request[] =>
    span.invocation.f === "acquire"
      ? [{ ...spanOf(span, span.invocation.key), ttlMs: span.invocation.value.ttlMs }]
      : [],
  );
  return {
    leaseMs,
    leases,
    holds: collectHolds(events, endNs, { clients }).map((hold) => spanOf(hold, hold.key)),
    requests,
    patienceMs,
  };
}

/** Whether this client had a lease that is over at a moment, and has no other, as far as it knows. */
export function hasOutlived({ leases }: Deadlines, client: string, atMs: number): boolean {
  const granted = leases.filter((lease) => lease.client === client && lease.fromMs <= atMs);
  return granted.length > 0 && granted.every(({ toMs }) => toMs <= atMs);
}

/** Whether nobody holds the lock at a moment, and another client asks for it before a lease from then on is over. */
export function isOpenTo({ leaseMs, holds, requests }: Deadlines, client: string, atMs: number): boolean {
  const isHeld = holds.some(({ fromMs, toMs }) => fromMs <= atMs && toMs > atMs);
  return (
    !isHeld && requests.some((other) => other.client !== client && other.fromMs < atMs + leaseMs && other.toMs > atMs)
  );
}

/** What a client holds for less than this share of its lease may be given back before another one asks again. */
const SHORT_HOLD = 0.2;

/** Whether a client that is granted the lock at a moment holds it for a while, in which another one asks for it. */
export function isWanted({ leaseMs, holds, requests }: Deadlines, client: string, atMs: number): boolean {
  const hold = holds.find((own) => own.client === client && own.fromMs === atMs);
  if (hold === undefined || hold.toMs - hold.fromMs < SHORT_HOLD * leaseMs) return false;
  return requests.some((other) => other.client !== client && other.fromMs < hold.toMs && other.toMs > atMs);
}

/** Whether another client holds the lock at a moment at which this one has outlived its own lease. */
export function isHeldByAnother(deadlines: Deadlines, client: string, atMs: number): boolean {
  return isTaken(deadlines, client, atMs) && hasOutlived(deadlines, client, atMs);
}

/** Whether another client holds the lock at a moment. */
export function isTaken({ holds }: Deadlines, client: string, atMs: number): boolean {
  return holds.some((hold) => hold.client !== client && hold.fromMs <= atMs && hold.toMs > atMs);
}

/** How much longer than its client's patience a message is held, as a share of the lease: the client may have asked again. */
const BEYOND_PATIENCE = 0.08;

/** A message that is held for this share of its client's patience is still answered in time. */
const WITHIN_PATIENCE = 0.7;

/** What is held, where it matters for how long: a reply, one that grants a lease or prolongs it, or anything else. */
export type Held = "reply" | "grant" | "other";

/**
 * Lengths on either side of each deadline that matters at a moment of a client, each side once before any side twice: just
 * beyond the end of the lease that is running or that it asks for; short compared with it, and so short that the client still
 * waits for the reply; a little longer than it waits, where that is well within the lease; just below its end; far beyond it.
 * For a reply that is under way the third one comes first: the client asks again while its first request has taken effect.
 * For one that grants a lease the second one does: a part of that lease is over when its client hears of it.
 */
export function lengthsAround(
  { leaseMs, leases, requests, patienceMs = Infinity }: Deadlines,
  client: string,
  atMs: number,
  held: Held = "other",
): readonly number[] {
  // The first to end: at an extension or a renewal, the lease before it.
  const running = latestLeases(leases, atMs).filter(({ toMs }) => toMs > atMs);
  const asked = requests.filter((own) => own.client === client && own.fromMs <= atMs && own.toMs >= atMs);
  const endMs = Math.min(leaseMs, ...asked.map(({ ttlMs }) => ttlMs), ...running.map(({ toMs }) => toMs - atMs));
  const latestMs = endMs - 0.1 * leaseMs;
  const againMs = patienceMs + BEYOND_PATIENCE * leaseMs;
  // A client that waits for nearly the whole lease asks again in what is left of it.
  const again = againMs < endMs - 0.2 * leaseMs ? [againMs] : patienceMs < latestMs ? [latestMs] : [];
  const shortMs = Math.min(0.15 * leaseMs, WITHIN_PATIENCE * patienceMs);
  const lengths = [
    ...(held === "grant" ? [shortMs] : []),
    ...(held === "other" ? [] : again),
    endMs + 0.08 * leaseMs,
    shortMs,
    ...again,
    latestMs,
    endMs + 0.5 * leaseMs,
    2.5 * leaseMs,
  ];
  return [...new Set(lengths.map((ms) => Math.round(ms)).filter((ms) => ms > 0))];
}

/** Of each client the two leases that began last: the one that is just being set, and the one before it, which counts until then. */
function latestLeases(leases: readonly Span[], atMs: number): readonly Span[] {
  const begun = leases.filter(({ fromMs }) => fromMs <= atMs);
  return [...Map.groupBy(begun, ({ client }) => client).values()].flatMap((own) =>
    own.toSorted((one, other) => one.fromMs - other.fromMs).slice(-2),
  );
}

/** A hold that is shorter than this is over before anything can happen in it. */
const BRIEF_MS = 5;

/** How long after a release the lock is taken for free, as a share of the lease. */
const FREE_AFTER = 0.05;

/** For how long a client that asks for the lock must be kept from it, so that another one has it meanwhile. */
export interface PastAnother {
  /** Until the other one has held it and given it back. */
  readonly intoGapMs: number;
  /** Until the middle of the hold of the other one. Undefined where that hold is brief. */
  readonly intoHoldMs: number | undefined;
}

/**
 * The lengths that keep a client from the lock at a moment at which it asks for it, as far as can be foreseen: the next one to
 * ask holds it for as long as it did. Undefined if nobody else asks.
 */
export function lengthsPastAnother(
  { leaseMs, holds, requests }: Deadlines,
  client: string,
  atMs: number,
): PastAnother | undefined {
  const others = requests.filter((other) => other.client !== client && other.toMs > atMs);
  const [next] = others.toSorted((one, other) => one.fromMs - other.fromMs);
  const hold = next && holds.find((each) => each.client === next.client && each.fromMs >= next.fromMs);
  if (hold === undefined) return undefined;
  const beginMs = Math.max(atMs, next?.fromMs ?? atMs);
  const holdMs = hold.toMs - hold.fromMs;
  return {
    intoGapMs: Math.round(beginMs + holdMs + FREE_AFTER * leaseMs - atMs),
    intoHoldMs: holdMs > BRIEF_MS ? Math.round(beginMs + holdMs / 2 - atMs) : undefined,
  };
}

/**
 * Whether a client that is kept waiting for so long has not given up, although the lease that it asks for is over by then. Of no
 * interest where clients wait for longer than every lease: all of them do so there.
 */
export function isHeededLate(
  { leaseMs, requests, patienceMs = Infinity }: Deadlines,
  client: string,
  atMs: number,
  forMs: number,
): boolean {
  const asked = requests.filter((own) => own.client === client && own.fromMs <= atMs && own.toMs >= atMs);
  return patienceMs <= leaseMs && forMs < patienceMs && asked.some(({ ttlMs }) => ttlMs < forMs);
}

/** How many holds of a client begin after a moment. */
export function furtherHolds({ holds }: Deadlines, client: string, atMs: number): number {
  return holds.filter((hold) => hold.client === client && hold.fromMs > atMs).length;
}

/**
 * Whether a client that has held the lock is going to hold it again, for longer than the lease that it asks for: it must
 * prolong it, whatever became of the first hold.
 */
export function holdsLongAgain({ leaseMs, holds }: Deadlines, client: string, atMs: number): boolean {
  const own = holds.filter((hold) => hold.client === client);
  const hasHeld = own.some(({ fromMs }) => fromMs <= atMs);
  return hasHeld && own.some(({ fromMs, toMs }) => fromMs > atMs && toMs - fromMs > leaseMs);
}

/** A hold of this share of its lease shows whether the lease is as long as its client believes. */
const WHOLE_LEASE = 0.8;

/**
 * Whether a client is granted the lock next for a hold that takes about the whole lease or more, and another one asks for it
 * when that is over: a lease that ends earlier than its client believes then lets the other one in.
 */
export function isGrantedForWholeLease({ leaseMs, holds, requests }: Deadlines, client: string, atMs: number): boolean {
  const hold = holds.find((own) => own.client === client && own.fromMs >= atMs);
  if (hold === undefined || hold.toMs - hold.fromMs < WHOLE_LEASE * leaseMs) return false;
  const endMs = Math.min(hold.toMs, hold.fromMs + leaseMs);
  return requests.some((other) => other.client !== client && other.fromMs < endMs && other.toMs >= endMs);
}

/** An extension that begins so soon, as a share of the lease, is the one that is asked about. */
const SAME_EXTENSION = 0.05;

/**
 * Whether a hold rests on what its client sends at a moment to extend it: the client holds on beyond the lease that is running
 * then, extends it no second time before that is over, and another client asks for the lock at that moment.
 */
export function restsOnExtension(
  { leaseMs, leases, holds, requests }: Deadlines,
  client: string,
  atMs: number,
): boolean {
  const own = leases.filter((lease) => lease.client === client);
  const running = own.filter(({ fromMs, toMs }) => fromMs <= atMs && toMs > atMs);
  const endMs = Math.min(...running.map(({ toMs }) => toMs));
  const isExtendedAgain = own.some(({ fromMs }) => fromMs > atMs + SAME_EXTENSION * leaseMs && fromMs < endMs);
  const holdsOn = holds.some((hold) => hold.client === client && hold.fromMs <= atMs && hold.toMs > endMs);
  const isWanted = requests.some((other) => other.client !== client && other.fromMs < endMs && other.toMs >= endMs);
  return holdsOn && isWanted && !isExtendedAgain;
}

/** A hold that goes on for this many leases is not over when another client has had the lock in between. */
const LONG_ON = 2;

/**
 * Whether a client is to hold on for leases to come, and another one asks before its lease is over: if it is kept from
 * prolonging it, the other one holds and gives back before it goes on.
 */
export function holdsOnForLong({ leaseMs, holds, requests }: Deadlines, client: string, atMs: number): boolean {
  const isWanted = requests.some(
    (other) => other.client !== client && other.fromMs < atMs + leaseMs && other.toMs > atMs + leaseMs,
  );
  return (
    isWanted && holds.some((own) => own.client === client && own.fromMs < atMs && own.toMs - atMs > LONG_ON * leaseMs)
  );
}

/** For how long a message is held, and whether somebody else asks for the lock when it arrives. */
export interface IntoNextHold {
  readonly forMs: number;
  readonly isWanted: boolean;
}

/** What is left of a hold, as a share of the lease, in which whoever waits for the lock tries again. */
const TRIED_AGAIN = 0.2;

/**
 * For how long a message that a client sends at a moment, to end or prolong its hold, must be held to arrive in its next
 * hold of that key; undefined if there is none. The client waits for the reply before it goes on, and a lock that it has not
 * given back is not free before the end of the lease: where the next hold then begins later than it did, who waits for it
 * cannot be foreseen.
 */
export function lengthIntoNextHold(
  { leaseMs, leases, holds, requests, patienceMs = 0 }: Deadlines,
  { client, atMs, endsHold }: { readonly client: string; readonly atMs: number; readonly endsHold: boolean },
): IntoNextHold | undefined {
  const current = holds.findLast((hold) => hold.client === client && hold.fromMs <= atMs);
  const next = holds.find(
    (hold) =>
      hold.client === client && hold.fromMs > atMs && hold.toMs - hold.fromMs > BRIEF_MS && hold.key === current?.key,
  );
  if (next === undefined) return undefined;
  const running = leases.filter((lease) => endsHold && lease.client === client && lease.fromMs <= atMs);
  const beginsMs = Math.max(next.fromMs, atMs + patienceMs, ...running.map(({ toMs }) => toMs));
  const arrivesMs = beginsMs + Math.min(0.1 * leaseMs, (next.toMs - next.fromMs) / 2);
  const latestMs = next.toMs - TRIED_AGAIN * leaseMs;
  const isWanted = requests.some(
    (other) =>
      other.client !== client &&
      other.key === next.key &&
      other.fromMs < next.toMs &&
      other.toMs > arrivesMs &&
      arrivesMs < latestMs &&
      beginsMs === next.fromMs,
  );
  return { forMs: Math.round(arrivesMs - atMs), isWanted };
}
