import type { Words } from "./shape-words.ts";
import type { Shape } from "./shape.ts";

/** Shapes in which a holder dies. */
export function dyingShapes({ hold, write, one, later, seeker, patient, brief }: Words): readonly Shape[] {
  return [
    {
      name: "left behind by the second holder, and waited for long",
      // A waiter that is woken by messages only gets none. A first holder that does not know that it has released may renew
      // what the second one has left behind, and who has had the lock before must be able to have it again.
      dies: { client: 1, on: "acquire:ok", count: 1 },
      clients: [
        [one(hold(0.7), write), later(brief, 3.5)],
        [later(one(hold(0.3), write), 0)],
        [patient(later(seeker, 0.9))],
      ],
    },
  ];
}

/** So many times the lease that a lock adds it to what is left outlasts a client that waits for long. */
const EXTENSIONS = 8;

/** Shapes in which a holder dies that has extended its lease. */
export function dyingExtendersShapes({ extend, one, later, seeker, patient, hold }: Words): readonly Shape[] {
  const extensions = Array.from({ length: EXTENSIONS }, () => extend);
  return [
    {
      name: "extended many times, and left behind",
      isCalm: true,
      // However often it was extended, the lease is no longer than it was asked for last. A release would hide it.
      dies: { client: 0, on: "extend:ok", count: EXTENSIONS },
      // The other one asks before: a run in which nobody wants what is held decides nothing.
      clients: [[one(hold(0.1), ...extensions, hold(0.3))], [patient(later(seeker, 0))]],
    },
  ];
}

/** Shapes in which a holder dies that has entered its lock again. */
export function dyingEnterersShapes({ enter, one, later, seeker, patient, hold }: Words): readonly Shape[] {
  return [
    {
      name: "entered again, and left behind",
      isCalm: true,
      // The inner entry may write down the hold anew without its lease. A release would hide it.
      dies: { client: 0, on: "acquire:ok", count: 2 },
      clients: [[one(hold(0.1), enter, hold(0.3))], [patient(later(seeker, 0))]],
    },
  ];
}
