import type { HistoryEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { ownerName } from "../../history/owner-value.ts";

/** How many extensions are remembered that are not answered. */
const REMEMBERED = 20_000;

/** What does one thing after the other within a tick, as far as is known. */
export type Actor = HistoryEvent["process"];

/**
 * Owner values that a lock draws when it extends a lease. Who uses one has it from the answer of that extension: the process that does
 * so goes on after the one that extended, also within a tick of a coarse clock.
 */
export class DrawnValues {
  /** By process, the owner value for which its open extension asks. */
  readonly #asked = new OldestFirst<Actor, string>(REMEMBERED);

  /**
   * By process of these events, the first of those that it goes on after, or itself if it is absent: what they do has one order,
   * that of the lines.
   *
   * @param events those of one tick, each given once, tick by tick
   */
  inOneOrder(events: readonly HistoryEvent[]): ReadonlyMap<Actor, Actor> {
    const first = new Map<Actor, Actor>();
    /** By key and drawn value, the process that drew it and has done nothing since. */
    const drawnBy = new Map<string, Actor>();
    const lastDrawn = new Map<Actor, string>();
    const seen = new Set<Actor>();
    for (const event of events) {
      const { process } = event;
      const before = lastDrawn.get(process);
      if (before !== undefined) drawnBy.delete(before);
      lastDrawn.delete(process);
      const drawer = seen.has(process) ? undefined : drawnBy.get(placeNamedIn(event));
      if (drawer !== undefined && drawer !== process) first.set(process, first.get(drawer) ?? drawer);
      seen.add(process);
      const drawn = this.#drawn(event);
      if (drawn === undefined) continue;
      drawnBy.set(drawn, process);
      lastDrawn.set(process, drawn);
    }
    return first;
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

function placeNamedIn(event: HistoryEvent): string {
  return event.type === "invoke" && (event.f === "extend" || event.f === "release")
    ? ownerName(event.key, event.value.owner)
    : "";
}
