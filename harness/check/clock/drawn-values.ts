import type { HistoryEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { ownerName } from "../../history/owner-value.ts";

/** How many extensions are remembered that are not answered. */
const REMEMBERED = 20_000;

/** What does one thing after the other within a tick, as far as is known. */
export type Actor = HistoryEvent["process"];

/** The events of a tick, of which some are known to come after others. */
export interface Ordered {
  readonly events: readonly HistoryEvent[];
  /** By process, the first of those that it goes on after, or itself if it is absent: what they do has one order, that of the events. */
  readonly first: ReadonlyMap<Actor, Actor>;
}

/** An owner value that was drawn within the tick. */
interface Drawn {
  readonly process: Actor;
  readonly at: number;
}

/**
 * Owner values that a lock draws when it extends a lease. Who uses one has it from the answer of that extension: the process that does
 * so goes on after the one that extended, also within a tick of a coarse clock, in whatever order the lines are.
 */
export class DrawnValues {
  /** By process, the owner value for which its open extension asks. */
  readonly #asked = new OldestFirst<Actor, string>(REMEMBERED);

  /** @param events those of one tick, each given once, tick by tick */
  inOneOrder(events: readonly HistoryEvent[]): Ordered {
    const drawnBy = this.#drawnBy(events);
    if (drawnBy.size === 0) return { events, first: new Map() };
    const before = new Map<Actor, Actor>();
    const against = new Map<Actor, Actor>();
    const seen = new Set<Actor>();
    for (const [at, event] of events.entries()) {
      const { process } = event;
      const drawn = seen.has(process) ? undefined : drawnBy.get(placeNamedIn(event));
      seen.add(process);
      if (drawn === undefined || drawn.process === process) continue;
      (drawn.at < at ? before : against).set(process, drawn.process);
    }
    // A lock may draw a value that it has drawn before: then that of the lines decides.
    for (const [process, drawer] of against) if (earliestOf(drawer, before) !== process) before.set(process, drawer);
    return inOrderOf(events, before);
  }

  /** By key and drawn value, the process that drew it, and the place of its answer, if nothing that it did since was answered within the tick. */
  #drawnBy(events: readonly HistoryEvent[]): ReadonlyMap<string, Drawn> {
    const drawnBy = new Map<string, Drawn>();
    const lastDrawn = new Map<Actor, string>();
    for (const [at, event] of events.entries()) {
      const { process, type } = event;
      const last = type === "invoke" ? undefined : lastDrawn.get(process);
      if (last !== undefined) {
        drawnBy.delete(last);
        lastDrawn.delete(process);
      }
      const drawn = this.#drawn(event);
      if (drawn === undefined) continue;
      drawnBy.set(drawn, { process, at });
      lastDrawn.set(process, drawn);
    }
    return drawnBy;
  }

  /** The key and the owner value that the lock drew, if this is the answer of such an extension. */
  #drawn(event: HistoryEvent): string | undefined {
    if (event.type === "invoke" && event.f === "extend") this.#asked.set(event.process, event.value.owner);
    if (event.type === "invoke" || event.f !== "extend") return undefined;
    const asked = this.#asked.get(event.process);
    this.#asked.delete(event.process);
    return event.type === "ok" && asked !== undefined && event.value.owner !== asked
      ? ownerName(event.key, event.value.owner)
      : undefined;
  }
}

/** The first of the processes that this one goes on after, or itself. */
function earliestOf(process: Actor, before: ReadonlyMap<Actor, Actor>): Actor {
  let earliest = process;
  for (let next = before.get(process); next !== undefined; next = before.get(next)) earliest = next;
  return earliest;
}

function depthOf(process: Actor, before: ReadonlyMap<Actor, Actor>): number {
  let depth = 0;
  for (let next = before.get(process); next !== undefined; next = before.get(next)) depth += 1;
  return depth;
}

/**
 * The events of processes that go on after others come after those.
 *
 * @param before by process, the one after which it goes on
 */
function inOrderOf(events: readonly HistoryEvent[], before: ReadonlyMap<Actor, Actor>): Ordered {
  const groupOf = ({ process }: HistoryEvent): Actor => earliestOf(process, before);
  const groups = new Map(
    [...Map.groupBy(events, groupOf)].map(([group, own]) => {
      const inOrder = own.toSorted((one, other) => depthOf(one.process, before) - depthOf(other.process, before));
      return [group, inOrder.values()];
    }),
  );
  return {
    events: events.map((event) => groups.get(groupOf(event))?.next().value ?? event),
    first: new Map([...before.keys()].map((process) => [process, earliestOf(process, before)])),
  };
}

function placeNamedIn(event: HistoryEvent): string {
  return event.type === "invoke" && (event.f === "extend" || event.f === "release")
    ? ownerName(event.key, event.value.owner)
    : "";
}
