import type { Plan } from "../../harness/core/plan.ts";
import type { WireMessage } from "../../harness/core/messages/wire-message.ts";
import { clientName } from "../../harness/core/topology.ts";
import { type History, NANOSECONDS_PER_MS } from "../../harness/history/history.ts";

/** A workload with what its run without faults has shown: what deviations start from. */
export interface Base {
  readonly name: string;
  readonly plan: Plan;
  readonly history: History;
  /** What its clients sent to servers, in the order of sending. */
  readonly messages: readonly WireMessage[];
  readonly deadlines: Deadlines;
}

/** When leases began and ended in a run without faults, in milliseconds since its start. */
export interface Deadlines {
  /** The lease that the workload asks for. */
  readonly leaseMs: number;
  readonly leases: readonly Lease[];
}

interface Lease {
  readonly client: string;
  /** Whether a hold begins with it: the lease of an acquire, and of no extension. */
  readonly begins: boolean;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a run without faults shows of its deadlines. */
export function deadlinesOf(plan: Plan, { events }: History): Deadlines {
  const leaseMs = Math.max(...plan.clients.flatMap(({ sections }) => sections.map(({ ttlMs }) => ttlMs)));
  const leases = events.flatMap((event): readonly Lease[] => {
    if (event.type !== "ok" || (event.f !== "acquire" && event.f !== "extend")) return [];
    const { validForMs = leaseMs, grantedAt = event.time } = event.value;
    const fromMs = grantedAt / NANOSECONDS_PER_MS;
    const begins = event.f === "acquire";
    return [{ client: clientName(event.process % plan.clients.length), begins, fromMs, toMs: fromMs + validForMs }];
  });
  return { leaseMs, leases };
}

/** Whether this client had a lease that is over at a moment, and has no other, as far as it knows. */
export function hasOutlived({ leases }: Deadlines, client: string, atMs: number): boolean {
  const granted = leases.filter((lease) => lease.client === client && lease.fromMs <= atMs);
  return granted.length > 0 && granted.every(({ toMs }) => toMs <= atMs);
}

/**
 * Lengths on either side of each deadline that matters at a moment, the most telling first: just beyond the end of the
 * lease that is running or being asked for; far beyond it; short compared with it; just below it.
 */
export function lengthsAround({ leaseMs, leases }: Deadlines, atMs: number): readonly number[] {
  // The first to end: at an extension, the lease before it.
  const running = leases.filter(({ fromMs, toMs }) => fromMs <= atMs && toMs > atMs);
  const endMs = Math.min(leaseMs, ...running.map(({ toMs }) => toMs - atMs));
  const lengths = [endMs + 0.08 * leaseMs, endMs + 0.5 * leaseMs, 0.15 * leaseMs, endMs - 0.1 * leaseMs, 2.5 * leaseMs];
  return [...new Set(lengths.map((ms) => Math.round(ms)).filter((ms) => ms > 0))];
}

/**
 * For how long a message that a client sends at a moment, to end or prolong its hold, must be held to arrive in its next
 * hold, in milliseconds; undefined if there is none.
 */
export function lengthIntoNextHold({ leaseMs, leases }: Deadlines, client: string, atMs: number): number | undefined {
  const next = leases.find((lease) => lease.client === client && lease.begins && lease.fromMs > atMs);
  return next === undefined ? undefined : Math.round(next.fromMs - atMs + 0.1 * leaseMs);
}
