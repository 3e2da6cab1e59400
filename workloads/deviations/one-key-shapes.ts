import { dyingEnterersShapes, dyingExtendersShapes, dyingShapes } from "./dying-shapes.ts";
import { type Words, wordsOf } from "./shape-words.ts";
import type { Scale, Shape } from "./shape.ts";

/** Small workloads by what a lock can do. */
interface Shapes {
  readonly plain: readonly Shape[];
  readonly extending: readonly Shape[];
  readonly reentering: readonly Shape[];
  readonly extendedReentering: readonly Shape[];
  readonly renewing: readonly Shape[];
  readonly silent: readonly Shape[];
  readonly patient: readonly Shape[];
  readonly leaving: readonly Shape[];
  readonly dying: readonly Shape[];
  readonly dyingExtenders: readonly Shape[];
  readonly dyingEnterers: readonly Shape[];
  readonly replicated: readonly Shape[];
}

/** The shapes of small workloads on one key or two. Lengths are shares of the lease. */
export function shapesOf(scale: Scale): Shapes {
  const words = wordsOf(scale);
  return {
    plain: [...firstShapes(words), ...furtherShapes(words)],
    extending: extendingShapes(words),
    reentering: reenteringShapes(words),
    extendedReentering: extendedReenteringShapes(words),
    renewing: renewingShapes(words),
    silent: silentShapes(words),
    patient: patientShapes(words),
    leaving: leavingShapes(words),
    dying: dyingShapes(words),
    dyingExtenders: dyingExtendersShapes(words),
    dyingEnterers: dyingEnterersShapes(words),
    replicated: replicatedShapes(words),
  };
}

/** Each hold begins when the lease of the other client is over: together as many leases as a run may take. */
const LATE_RELEASES = 6;

/** So many grants lie between two that a counter writes with the same first digit. */
const SHORT_HOLDS = 11;

/** Shapes for every lock: one or two holds of a client, and another one that wants the lock. */
function firstShapes({ hold, write, read, sections, later, seeker, rival, brief, one }: Words): readonly Shape[] {
  return [
    {
      name: "beyond the lease",
      outlives: true,
      clients: [[...sections([read, hold(1.6), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "beyond the lease, from one moment on",
      outlives: true,
      // Whoever comes first outlives its lease, and releases while the other one holds.
      clients: [
        [one(hold(1.6), write), seeker],
        [one(hold(1.6), write), seeker],
      ],
    },
    {
      name: "released at the end of another's lease",
      outlives: true,
      // The other one asks again and again, so its lease begins a little later than this one ends.
      clients: [[...sections([hold(1.94), write]), seeker], [later(one(hold(0.98), write), 0)]],
    },
    {
      name: "released late, while another one holds",
      outlives: true,
      // The other one comes when that lease is over: readers who never meet, of whom the first takes the second away.
      clients: [[one(hold(1.6), write)], [later(seeker, 1.7), brief], [later(one(hold(0.9), write), 1.2)]],
    },
    {
      name: "released late, while another one holds and a third one waits",
      outlives: true,
      // Who hands the lock over by name, or wakes the next one, may do so although it is not its own any more.
      clients: [[one(hold(1.6), write)], [later(rival, 0), seeker], [later(rival, 0.1)]],
    },
    {
      name: "released late again and again",
      outlives: true,
      races: true,
      isCalm: true,
      // Owner values may be too few or look alike, and what a lock writes down may be cut off after some grants.
      clients: [0, 1].map(() => Array.from({ length: LATE_RELEASES }, () => one(hold(1.6), write))),
    },
    {
      name: "released late after many short holds of another one",
      outlives: true,
      isCalm: true,
      // An owner value may be taken for one that was drawn much later: by what they begin with, or because values come again.
      clients: [
        [one(hold(1.6), write), seeker],
        [...Array.from({ length: SHORT_HOLDS }, () => later(seeker, 0)), one(hold(0.98), write)],
      ],
    },
    {
      name: "at once",
      races: true,
      clients: [sections([read, write], [hold(0.3), write]), [...sections([read, write]), seeker]],
    },
    {
      name: "in turn",
      clients: [sections([read, hold(0.9), write], [read, write]), [later(rival, 0), seeker]],
    },
    {
      name: "never released",
      clients: [[{ ...one(write), release: false }], [later(rival, 0), seeker]],
    },
    {
      name: "never released, and waited for by two",
      // Both find a lease that is over, and only one may take it.
      clients: [[{ ...one(write), release: false }], [later(rival, 0), seeker], [later(one(hold(0.5), write), 0.1)]],
    },
    {
      name: "taken again",
      // So late that a client whose connection broke at its release has another one when it holds again.
      clients: [
        [one(hold(0.9), write), later(rival, 1.4)],
        [later(rival, 1.7), seeker],
      ],
    },
  ];
}

/** Shapes for every lock: many short holds, several keys, and waiters that give up. */
function furtherShapes({
  hold,
  write,
  read,
  sections,
  later,
  seeker,
  rival,
  brief,
  short,
  on,
  one,
  leaseMs,
}: Words): readonly Shape[] {
  return [
    {
      name: "in a row",
      races: true,
      // Most clients give a command up after a second: it can be answered after the end of these leases, and in time.
      clients: [
        [short(), short(write), short(hold(0.2), write)],
        [later(short(hold(0.5), write), 0), seeker],
      ],
    },
    {
      name: "leases of two lengths",
      clients: [
        [short(hold(0.2)), ...sections([read, hold(0.9), write])],
        [later(short(hold(0.3), write), 0), seeker],
      ],
    },
    {
      name: "a longer lease before",
      outlives: true,
      clients: [[...sections([hold(0.1)]), short(hold(0.8), write), seeker], [later(rival, 0.15)]],
    },
    {
      name: "many times",
      // If an early release is held until its client gives it up, it arrives in the last hold, before the rival comes.
      clients: [
        [...sections([write], [], [], [], [hold(0.9), write]), later(brief, 1.5)],
        [later(rival, 1.3), seeker],
      ],
    },
    {
      name: "two keys",
      clients: [
        [brief, brief, ...sections([hold(0.3), write]), on("k2", brief), later(one(hold(0.3), write), 0.8)],
        [on("k2", one(hold(0.2), write)), on("k2", later(brief, 0.6)), later(rival, 0.9), seeker],
      ],
    },
    {
      name: "a shorter lease of another key",
      clients: [sections([read, hold(0.9), write]), [on("k2", later(short(write), 0)), rival, seeker]],
    },
    {
      name: "a shorter lease beside a longer one",
      // Of readers, the one with the shorter lease joins last, and a writer waits for both.
      clients: [sections([read, hold(0.9), write]), [later(rival, 0), seeker], [later(short(hold(0.2), write), 0.1)]],
    },
    {
      name: "waited for by two, of whom one gives up",
      clients: [
        sections([hold(0.9), write]),
        [later({ ...rival, waitMs: Math.round(0.3 * leaseMs), tries: 1 }, 0)],
        [later(seeker, 0.1)],
      ],
    },
    {
      name: "waited for by two from one moment on",
      // They try again at the same moments, as often as that takes, and find the key free together.
      clients: [sections([hold(0.9), write]), [later(one(hold(0.3), write), 0)], [later(one(hold(0.3), write), 0)]],
    },
    {
      name: "not waited for",
      clients: [
        [...sections([read, hold(0.9), write]), later(seeker, 1.1)],
        [later({ ...rival, waitMs: Math.round(0.3 * leaseMs), tries: 1 }, 0)],
      ],
    },
  ];
}

/** Shapes for locks that extend a lease. */
function extendingShapes({
  hold,
  extendBy,
  extend,
  write,
  sections,
  later,
  seeker,
  rival,
  brief,
  one,
}: Words): readonly Shape[] {
  return [
    {
      name: "extended after the lease",
      outlives: true,
      clients: [[...sections([hold(1.2), extend, hold(0.7), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "extended after another's hold",
      outlives: true,
      clients: [
        [...sections([hold(1.4), extend, hold(0.7), write]), seeker],
        [later(brief, 0), later(rival, 1.5)],
      ],
    },
    {
      name: "extended",
      clients: [[...sections([hold(0.9), extend, hold(0.7), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "extended twice, and then beyond the lease",
      outlives: true,
      // Early in a lease a lock may leave an extension out, and what became of the first one, the second one meets.
      clients: [[...sections([hold(0.2), extend, hold(0.4), extend, hold(1.6), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "extended to a shorter lease",
      outlives: true,
      clients: [[...sections([hold(0.2), extendBy(0.5), hold(0.75), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "extended to a shorter lease, too late",
      outlives: true,
      clients: [[...sections([hold(1.2), extendBy(0.3)]), seeker], [later(one(hold(0.9), write), 0)]],
    },
    {
      name: "extended to a longer lease",
      clients: [[...sections([hold(0.3), extendBy(1.5), hold(1.3), write]), seeker], [later(rival, 0)]],
    },
  ];
}

/** Shapes for locks that their holder can enter again. */
function reenteringShapes(words: Words): readonly Shape[] {
  const { hold, enter, enterFor, enterTwice, write, sections, later, seeker, rival } = words;
  return [
    {
      name: "entered again after the lease, then contended",
      outlives: true,
      clients: [[...sections([hold(1.2), enter, hold(0.7), write]), seeker], [later(rival, 1.4)]],
    },
    {
      name: "entered again",
      clients: [[...sections([enter, hold(0.85), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "entered again after the lease",
      outlives: true,
      clients: [[...sections([hold(1.2), enter, hold(0.7), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "entered again before the end of the lease",
      // The inner entry is left when the lease that it prolonged would be over: what counts the entries must last as long.
      clients: [[...sections([hold(0.9), enterFor(0.2), hold(0.5), write]), seeker], [later(rival, 0)]],
    },
    {
      name: "entered again within an entry",
      // What knows only whether it was entered, not how often, takes the second release for the last one.
      clients: [[...sections([enterTwice, hold(0.7), write]), seeker], [later(rival, 0)]],
    },
  ];
}

/** Shapes for locks that their holder can enter again, and extend. */
function extendedReenteringShapes({
  hold,
  extend,
  enter,
  write,
  sections,
  later,
  seeker,
  rival,
}: Words): readonly Shape[] {
  return [
    {
      name: "extended, and entered again after the first lease",
      // What counts the entries must be extended, too.
      clients: [[...sections([hold(0.8), extend, hold(0.6), enter, hold(0.3), write]), seeker], [later(rival, 0)]],
    },
  ];
}

/** Shapes for locks that renew their leases. A client outlives its lease in them unless the lock tells of renewals. */
function renewingShapes({ hold, write, read, sections, later, seeker, rival, brief }: Words): readonly Shape[] {
  return [
    {
      name: "renewed after another's hold",
      // The other one waits from the beginning: it has held and given back before renewals that were kept back come.
      clients: [
        [...sections([hold(3), write]), seeker],
        [later(brief, 0), later(rival, 2.4)],
      ],
    },
    {
      name: "renewed many times",
      clients: [[...sections([read, hold(4), write]), seeker], [later(rival, 3)]],
    },
    {
      name: "renewed in a first hold and in a second one",
      clients: [[...sections([hold(0.7), write], [read, hold(1.8), write]), seeker], [later(rival, 1.9)]],
    },
  ];
}

/** Shapes for every lock in which one request waits for long. */
function patientShapes({ hold, write, one, later, seeker, patient }: Words): readonly Shape[] {
  return [
    {
      name: "waited for long",
      // Who waits for the message of a release must not miss it; whoever asks once more would have the lock all the same.
      // It comes near the end of the hold, so that what it sends can be kept back until then and it still waits for the answer.
      clients: [[one(hold(0.9), write)], [patient(later(seeker, 0.8))]],
    },
  ];
}

/** Shapes for every lock in which somebody stops waiting behind another one. */
function leavingShapes({ hold, write, one, later, seeker, patient, rival, leaseMs }: Words): readonly Shape[] {
  return [
    {
      name: "waited for by two, of whom the second one gives up",
      isCalm: true,
      // Who leaves a queue must leave its own place: the one before it has only one request.
      clients: [
        [one(hold(0.7), write)],
        [patient(later(seeker, 0))],
        [later({ ...rival, waitMs: Math.round(0.3 * leaseMs), tries: 1 }, 0.1)],
      ],
    },
  ];
}

/** Shapes for locks whose releases report no result. */
function silentShapes({ hold, write, read, one, sections, later, again }: Words): readonly Shape[] {
  return [
    {
      name: "asked for again and again",
      // No release proves that its client held. That another one held before shows only where the lease began for certain: the
      // request that was granted is short. It holds for about a lease, so that what is kept from the lock until then comes after
      // the end of a lease that was just begun.
      clients: [sections([read, hold(0.9), write]), [later(again(one(read, hold(0.98), write)), 0)]],
    },
  ];
}

/** What a client does, one hold after another: together with the other one's for longer than a former master goes on. */
const HOLDS_IN_TURN = 3;

/** Shapes for servers of which a replica can take the master's place. */
function replicatedShapes({ hold, write, one, later }: Words): readonly Shape[] {
  const holds = Array.from({ length: HOLDS_IN_TURN }, () => one(hold(0.9), write));
  return [
    {
      name: "in turn, until a former master has been told",
      // A former master serves the clients that it has until the Sentinels make it a replica, some ten seconds later. What
      // it granted is lost then, which shows where one client holds and another one asks.
      clients: [holds, holds.map((each) => later(each, 0))],
    },
  ];
}
