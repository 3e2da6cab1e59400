import { clockStepsOf } from "./clock-steps.ts";
import type { Timeline } from "../timeline.ts";

/** How far a wall clock is ahead of true time at a moment, in nanoseconds; negative for behind. */
interface ClockPoint {
  readonly time: number;
  readonly ahead: number;
}

/** Clocks that a run showed to differ from true time, all in the same way. */
export interface ClockLine {
  readonly lanes: readonly string[];
  /** Ascending in time, from the start to the end of the run. */
  readonly points: readonly ClockPoint[];
}

/**
 * The clocks that differ from true time somewhere in a run, from the steps that its faults made and from what the servers'
 * clocks showed whenever a key changed. Between two such moments a clock is taken to drift evenly; a step is upright.
 */
export function clockLinesOf({ faults, wire, end }: Pick<Timeline, "faults" | "wire" | "end">): readonly ClockLine[] {
  const steps = Map.groupBy(clockStepsOf(faults), ({ lane }) => lane);
  const seen = Map.groupBy(wire?.keys ?? [], ({ server }) => server);
  const lines = [...new Set([...steps.keys(), ...seen.keys()])].map((lane) => {
    const changes = [
      ...(steps.get(lane) ?? []).map(({ time, offset }) => ({ time, by: offset })),
      ...(seen.get(lane) ?? []).map(({ atNs, clockAheadNs }) => ({ time: atNs, ahead: clockAheadNs })),
    ];
    changes.sort((one, other) => one.time - other.time);
    return { lane, points: pointsOf(changes, end) };
  });
  const apart = lines.filter(({ points }) => points.some(({ ahead }) => ahead !== 0));
  const alike = Map.groupBy(apart, ({ points }) => JSON.stringify(points));
  return [...alike.values()].map((group) => ({
    lanes: group.map(({ lane }) => lane),
    points: group[0]?.points ?? [],
  }));
}

/** A step by so much, or a reading of the clock. */
type Change = { readonly time: number } & ({ readonly by: number } | { readonly ahead: number });

function pointsOf(changes: readonly Change[], end: number): readonly ClockPoint[] {
  let ahead = 0;
  const points: ClockPoint[] = [{ time: 0, ahead }];
  for (const change of changes) {
    if ("by" in change) points.push({ time: change.time, ahead });
    ahead = "by" in change ? ahead + change.by : change.ahead;
    points.push({ time: change.time, ahead });
  }
  return [...points, { time: end, ahead }];
}
