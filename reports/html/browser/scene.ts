import { STRIP, stripsTop, type LanePlace } from "./lane-layout.ts";
import type { Item, RunModel } from "./run-model.ts";
import type { TimeView } from "./time-view.ts";

/** Everything that determines a picture of the timeline. Sizes are CSS pixels. */
export interface Scene {
  readonly model: RunModel;
  readonly view: TimeView;
  readonly places: readonly LanePlace[];
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  /** 1 for each event that the filter lets through; undefined while nothing is filtered. */
  readonly matching: Uint8Array | undefined;
  readonly selected: Item | undefined;
  readonly hovered: Item | undefined;
  readonly focusedLane: number | undefined;
  /** The instant whose beliefs are shown. */
  readonly cursor?: number | undefined;
  /** The stretch that the pointer marks. */
  readonly marked?: TimeView | undefined;
}

export const AXIS_HEIGHT = 30;
/** Rows within a client's lane: holds above, other operations below. */
export const HOLD_ROW = { top: 6, height: 15 } as const;
export const OPERATION_ROW = { top: 27, height: 11 } as const;

/** Width of the column of lane names. */
export function gutterOf(width: number): number {
  return width < 560 ? 68 : 96;
}

export function xOf({ view, width }: Scene, time: number): number {
  const gutter = gutterOf(width);
  return gutter + ((time - view.from) / (view.to - view.from)) * (width - gutter);
}

export function timeAt({ view, width }: Scene, x: number): number {
  const gutter = gutterOf(width);
  return view.from + ((x - gutter) / (width - gutter)) * (view.to - view.from);
}

/** The place of an item within its lane. */
export function rowOf(item: Item, { lane }: LanePlace): { readonly top: number; readonly height: number } {
  if (item.kind === "hold" || item.kind === "lost") return HOLD_ROW;
  if (item.kind === "fault") return { top: stripsTop(lane) + STRIP * (item.strip ?? 0), height: STRIP - 3 };
  if (item.kind === "operation") return item.label === "acquire" ? HOLD_ROW : OPERATION_ROW;
  return { top: stripsTop(lane) / 2 - 6, height: 12 };
}

/** The lane at a height on the screen. */
export function laneAt({ places, scrollTop }: Scene, y: number): number | undefined {
  const inLanes = y - AXIS_HEIGHT + scrollTop;
  if (y < AXIS_HEIGHT) return undefined;
  return places.find(({ top, height }) => inLanes >= top && inLanes < top + height)?.lane.index;
}

/** The item at a place on the screen: the smallest one there. */
export function itemAt(scene: Scene, x: number, y: number): Item | undefined {
  const inLanes = y - AXIS_HEIGHT + scene.scrollTop;
  const place = scene.places.find(({ top, height }) => inLanes >= top && inLanes < top + height);
  if (place === undefined || y < AXIS_HEIGHT || x < gutterOf(scene.width)) return undefined;
  const { lane } = place;
  const within = (item: Item): boolean => {
    const { top, height } = rowOf(item, place);
    const inRow = inLanes - place.top >= top - 2 && inLanes - place.top <= top + height + 2;
    const slack = item.kind === "fault" && item.to > item.from ? 0 : 4;
    return (
      inRow &&
      x >= xOf(scene, item.from) - slack &&
      x <= Math.max(xOf(scene, item.to), xOf(scene, item.from) + 3) + slack
    );
  };
  const near = (items: readonly Item[]): Item | undefined => smallest(around(scene, items, x).filter(within));
  return near(lane.marks) ?? near(lane.operations) ?? near(lane.holds) ?? near(lane.faults);
}

/** Only the items near the pointer are checked. */
function around(scene: Scene, items: readonly Item[], x: number): readonly Item[] {
  if (items.length < 500) return items;
  const [from, to] = [timeAt(scene, x - 8), timeAt(scene, x + 8)];
  return items.filter((item) => item.to >= from && item.from <= to);
}

function smallest(items: readonly Item[]): Item | undefined {
  return items.toSorted((one, other) => one.to - one.from - (other.to - other.from))[0];
}
