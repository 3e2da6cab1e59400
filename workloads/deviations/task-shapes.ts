import { type Scale, section, type SectionInput, type Shape, SOON_MS, type StepInput } from "./shape.ts";

/**
 * Several requests of one process, which share its lock object: they want one key, or each its own. A waiter may be forgotten, a
 * field of the object overwritten, and what one of them does may end the lock of another.
 *
 * @param renews whether the lock renews its leases: then one of the tasks holds for longer than a lease
 */
export function taskShapes(scale: Scale, renews: boolean): readonly Shape[] {
  const { leaseMs, holds, of, on, at, seeker } = wordsOfTasks(scale);
  const givesUp = { ...seeker, waitMs: Math.round(0.3 * leaseMs), tries: 1 };
  const long = renews ? 2.5 : 0.9;
  return [
    {
      name: "two tasks of one client",
      races: true,
      clients: [[holds(0.3), of(1, holds(0.3)), seeker]],
    },
    {
      name: "two clients with two tasks each",
      races: true,
      clients: [
        [holds(0.3), of(1, holds(0.2))],
        [holds(0.2), of(1, holds(0.3)), seeker],
      ],
    },
    {
      name: "two tasks of one client wait for a third",
      clients: [[holds(0.3), of(1, at(0, holds(0.1))), of(2, at(0.1, holds(0.1))), of(2, seeker)]],
    },
    {
      name: "a task of one client releases late, while another one of it holds",
      outlives: !renews,
      // What the first one holds no more must not be taken for what the second one holds: they are of one process.
      clients: [
        [holds(1.6), of(1, at(0, holds(0.9)))],
        [at(1.7, holds(0.1)), seeker],
      ],
    },
    {
      name: "two tasks of one client for longer than a lease",
      isCalm: true,
      // Who hands the lock over within the process must say how much of its lease is left.
      clients: [
        [holds(0.7), of(1, at(0, holds(0.7)))],
        [at(0.1, holds(0.1)), seeker],
      ],
    },
    {
      name: "two tasks of one client, each with its key",
      clients: [[holds(0.3), of(1, at(0, on("k2", holds(long)))), seeker], [at(long / 2, on("k2", holds(0.1)))]],
    },
    {
      name: "two tasks of one client, each with its key for long",
      // What the process does for the key that it took last, it may no longer do for the first one.
      clients: [
        [holds(long), of(1, at(0, on("k2", holds(long))))],
        [at(0.1, holds(0.1)), of(1, at(0.1, on("k2", holds(0.1)))), of(1, seeker)],
      ],
    },
    {
      name: "two tasks of one client, each with its key, from one moment on",
      // What they send for both keys mixes on one connection, also when they give them back.
      clients: [
        [holds(0.9), of(1, on("k2", holds(0.9)))],
        [at(0.1, holds(0.5)), of(1, at(0.1, on("k2", holds(0.5)))), of(1, seeker)],
      ],
    },
    {
      name: "two tasks of one client, of which one gives up",
      // It may give back, or forget, what the other one holds.
      clients: [
        [holds(0.9), of(1, at(0, givesUp))],
        [at(0.1, holds(0.1)), seeker],
      ],
    },
  ];
}

/** Several requests of one process that extend what they hold. */
export function extendingTaskShapes(scale: Scale): readonly Shape[] {
  const { holds, extendsOnce, of, on, at, seeker } = wordsOfTasks(scale);
  return [
    {
      name: "two tasks of one client, each with its key, extend at one moment",
      // What one of them asks of the connection may answer, or undo, what the other one asks.
      clients: [
        [extendsOnce, of(1, on("k2", extendsOnce)), seeker],
        [at(0.1, holds(0.3)), of(1, at(0.1, on("k2", holds(0.3))))],
      ],
    },
  ];
}

function wordsOfTasks(scale: Scale) {
  const { leaseMs } = scale;
  const hold = (share: number): StepInput => ({ do: "hold", forMs: Math.round(share * leaseMs) });
  const write: StepInput = { do: "write" };
  return {
    leaseMs,
    holds: (share: number): SectionInput => section(scale, [{ do: "read" }, hold(share), write]),
    extendsOnce: section(scale, [hold(0.6), { do: "extend", ttlMs: leaseMs }, hold(0.7), write]),
    of: (task: number, section: SectionInput): SectionInput => ({ ...section, task }),
    on: (key: string, section: SectionInput): SectionInput => ({ ...section, key }),
    at: (share: number, section: SectionInput): SectionInput => ({
      ...section,
      after: { atMs: Math.round(share * leaseMs) + SOON_MS },
    }),
    seeker: section(scale, []),
  };
}
