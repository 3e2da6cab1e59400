import type { Item, RunModel } from "./run-model.ts";
import type { TimelineView } from "./timeline-view.ts";

/** Actions of the keys beyond the timeline itself. */
export interface KeyTargets {
  /** Goes to the next violation (1) or the one before (-1). */
  violation(step: number): void;
  search(): void;
  /** Moves the cursor to the next event (1) or the one before (-1), of whatever lane. */
  instant(step: number): void;
}

/**
 * The keyboard on the timeline. Left and right go from item to item in a lane, up and down from lane to lane, with
 * Shift they pan; comma and full stop move the cursor from event to event; + and - zoom, 0 shows all, v and V go through the
 * violations, / searches, Escape lets go. W, A, S and D zoom and pan as in other viewers of traces.
 */
export function listenToKeys(target: HTMLElement, timeline: TimelineView, model: RunModel, targets: KeyTargets): void {
  const actions: Readonly<Record<string, () => void>> = {
    "+": () => timeline.zoom(0.6),
    "=": () => timeline.zoom(0.6),
    "-": () => timeline.zoom(1 / 0.6),
    w: () => timeline.zoom(0.6),
    s: () => timeline.zoom(1 / 0.6),
    a: () => timeline.pan(-0.2),
    d: () => timeline.pan(0.2),
    "0": () => timeline.showAll(),
    v: () => targets.violation(1),
    V: () => targets.violation(-1),
    ",": () => targets.instant(-1),
    ".": () => targets.instant(1),
    "/": () => targets.search(),
    Escape: () => timeline.select(undefined),
    ArrowLeft: () => step(timeline, model, -1),
    ArrowRight: () => step(timeline, model, 1),
    ArrowUp: () => changeLane(timeline, model, -1),
    ArrowDown: () => changeLane(timeline, model, 1),
    Home: () => step(timeline, model, -Infinity),
    End: () => step(timeline, model, Infinity),
  };
  target.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const sideways = { ArrowLeft: -0.2, ArrowRight: 0.2 }[event.key];
    const action = event.shiftKey && sideways !== undefined ? () => timeline.pan(sideways) : actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

/** All items of a lane, ascending. */
function itemsOf(model: RunModel, lane: number): readonly Item[] {
  const found = model.lanes[lane];
  if (found === undefined) return [];
  return [...found.operations, ...found.holds, ...found.faults, ...found.marks].sort(
    (one, other) => one.from - other.from || one.event - other.event,
  );
}

function step(timeline: TimelineView, model: RunModel, by: number): void {
  const lane = timeline.selected?.lane ?? timeline.places[0]?.lane.index;
  if (lane === undefined) return;
  const items = itemsOf(model, lane);
  const at = timeline.selected === undefined ? -1 : items.indexOf(timeline.selected);
  const next = Math.max(0, Math.min(items.length - 1, at + by));
  timeline.focusLane(lane);
  timeline.select(items[next]);
}

/** Goes to the item of the next lane that is nearest in time. */
function changeLane(timeline: TimelineView, model: RunModel, by: number): void {
  const { places, selected, view } = timeline;
  const at = selected === undefined ? -1 : places.findIndex(({ lane }) => lane.index === selected.lane);
  const next = places[Math.max(0, Math.min(places.length - 1, at + by))];
  if (next === undefined) return;
  const time = selected?.from ?? view.from;
  const nearest = itemsOf(model, next.lane.index).reduce<Item | undefined>(
    (best, item) => (best !== undefined && Math.abs(best.from - time) <= Math.abs(item.from - time) ? best : item),
    undefined,
  );
  timeline.focusLane(next.lane.index);
  if (nearest !== undefined) timeline.select(nearest);
}
