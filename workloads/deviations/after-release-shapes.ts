import type { Words } from "./shape-words.ts";
import type { Shape } from "./shape.ts";

/**
 * Shapes in which a client asks for something that it has released: a release in a `finally` after an explicit one, a heartbeat
 * that nobody stopped. Two others want the lock, of which the second must not be let in beside the first.
 *
 * @param extend whether leases are extended
 */
export function afterReleaseShapes(words: Words, extend: boolean): readonly Shape[] {
  const { hold, release, releasePrevious, write, one, later, seeker } = words;
  const waits = (share: number) => later(one(hold(0.9), write), share);
  return [
    {
      name: "released twice",
      isCalm: true,
      clients: [[one(hold(0.3), write, release, hold(0.4))], [waits(0)], [waits(0.1), seeker]],
    },
    {
      name: "released once more, by a client that holds again",
      isCalm: true,
      // Who takes the client for the owner frees its second hold.
      clients: [
        [one(hold(0.1), write), one(hold(0.1), releasePrevious, hold(0.7), write)],
        [later(one(hold(0.3), write), 0.25), seeker],
      ],
    },
    ...(extend ? extendedTooLate(words) : []),
  ];
}

function extendedTooLate({ hold, release, extend, write, one, later, seeker }: Words): readonly Shape[] {
  const waits = (share: number) => later(one(hold(0.9), write), share);
  return [
    {
      name: "extended after the release, and released again",
      isCalm: true,
      // What the extension writes over the other one's hold, the release takes away.
      clients: [[one(hold(0.2), write, release, hold(0.3), extend, hold(0.2))], [waits(0)], [waits(0.1), seeker]],
    },
    {
      name: "extended after the release, and waited for",
      isCalm: true,
      // A lock that begins to renew again may never end to.
      clients: [[{ ...one(hold(0.2), write, release, extend), release: false }], [later(seeker, 0)]],
    },
  ];
}

/** The same of the tasks of one client, of which the other one holds. */
export function afterReleaseTaskShapes(words: Words, extend: boolean): readonly Shape[] {
  const { hold, release, write, one, later, seeker } = words;
  const steps = extend ? [words.extend, hold(0.2)] : [];
  return [
    {
      name: "a task of one client releases twice, while another one of it holds",
      isCalm: true,
      clients: [
        [one(hold(0.3), write, release, hold(0.3), ...steps), { ...later(one(hold(0.9), write), 0), task: 1 }],
        [later(one(hold(0.3), write), 0.5), seeker],
      ],
    },
  ];
}
