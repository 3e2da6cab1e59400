/** What a schedule came to. `unpromised`: under its faults the lock promises nothing. */
export const OUTCOMES = ["valid", "unknown", "unpromised", "invalid"] as const;
export type ScheduleOutcome = (typeof OUTCOMES)[number];
