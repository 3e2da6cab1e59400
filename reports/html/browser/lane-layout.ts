import type { LaneItems } from "./run-model.ts";

/** The position of a lane, in pixels from the top of all lanes. */
export interface LanePlace {
  readonly lane: LaneItems;
  readonly top: number;
  readonly height: number;
}

/** Height of a lane without its faults, and of each strip of faults below. */
const HEIGHT = { client: 44, node: 24, resource: 32 } as const;
export const STRIP = 17;

/** How far down the strips of faults begin within a lane. */
export function stripsTop({ kind }: LaneItems): number {
  return HEIGHT[kind];
}

/** Stacks the lanes that are not hidden. */
export function layLanes(lanes: readonly LaneItems[], hidden: ReadonlySet<number>): readonly LanePlace[] {
  let top = 0;
  return lanes
    .filter(({ index }) => !hidden.has(index))
    .map((lane) => {
      const place = { lane, top, height: HEIGHT[lane.kind] + lane.strips * STRIP + (lane.strips > 0 ? 4 : 0) };
      top += place.height;
      return place;
    });
}

export function totalHeight(places: readonly LanePlace[]): number {
  const last = places.at(-1);
  return last === undefined ? 0 : last.top + last.height;
}
