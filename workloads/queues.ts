import fc, { type Arbitrary } from "fast-check";
import type { PlanInput } from "../harness/core/plan.ts";

type ClientInput = PlanInput["clients"][number];

/** How the clients of a workload make a queue. */
export interface QueueShape {
  /** The time from one client's request to that of the next, in milliseconds: longer than a request takes, in real time too. */
  readonly gapMs: number;
  /** Whether no fault occurs: who is granted the key in which order counts only before the first one. */
  readonly isQuiet: boolean;
}

/** How long after the longest lease a lock that nobody holds must be free. */
const SETTLING_MS = 2500;

/** Two of three workloads of a lock that grants first come, first served. */
export const queues: Arbitrary<QueueShape | null> = fc.oneof(fc.constant(null), {
  weight: 2,
  arbitrary: fc.record({ gapMs: fc.constantFrom(100, 150, 200), isQuiet: fc.boolean() }),
});

/**
 * The same clients, one after another: the first one holds until all others stand in the queue. Clients that all begin at once
 * ask in no order that anybody could tell. A lease is long enough that nobody waits for longer: then a grant that comes late
 * was not only answered late.
 * @param leaseMs outlasts the gaps between all of them
 */
export function inQueue(clients: readonly ClientInput[], { gapMs }: QueueShape, leaseMs: number): ClientInput[] {
  const waitMs = clients.length * leaseMs + SETTLING_MS;
  return clients.map(({ sections: [first, ...later] }, index) => {
    if (first === undefined) return { sections: [] };
    const asked = { ...first, ttlMs: clients.length * leaseMs, waitMs, tries: 1 };
    const holder = {
      ...asked,
      steps: [{ do: "hold" as const, forMs: clients.length * gapMs }],
    };
    const waiter = { ...asked, after: { atMs: index * gapMs } };
    return { sections: [index === 0 ? holder : waiter, ...later] };
  });
}
