import type { UpdateLosses } from "../../harness/check/properties/update-losses.ts";

/** The number of updates under one lock that were acknowledged and lost, by what the resource checks. */
export interface HeadlineRow {
  readonly lock: string;
  readonly topology: string;
  readonly guards: Readonly<Record<string, UpdateLosses>>;
}

/** The headline measure: acknowledged updates that were lost, for each lock. */
export interface MeasuredHeadline {
  readonly backend: string;
  readonly seed: number;
  /** Virtual minutes in simulation, real ones on containers; for each lock and each guard. */
  readonly minutes: number;
  readonly ttlMs: number;
  readonly clients: number;
  readonly pauseEveryMs: number;
  /** What the resource checks, in the order of the columns. */
  readonly guards: readonly string[];
  readonly rows: readonly HeadlineRow[];
}
