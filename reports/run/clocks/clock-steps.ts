import type { FaultSpan } from "../fault-spans.ts";

/** A step of a wall clock: from `time` on (true time, nanoseconds) it is `offset` ahead of where it was. */
export interface ClockStep {
  readonly lane: string;
  readonly time: number;
  /** Nanoseconds; negative for a step back. */
  readonly offset: number;
}

/** The steps of wall clocks in a run. One whose size the history does not say is left out. */
export function clockStepsOf(faults: readonly FaultSpan[]): readonly ClockStep[] {
  return faults.flatMap(({ byMs, lanes, from, outcome }) =>
    byMs === undefined || outcome === "skipped" ? [] : lanes.map((lane) => ({ lane, time: from, offset: byMs * 1e6 })),
  );
}
