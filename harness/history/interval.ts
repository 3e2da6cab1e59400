/** A stretch of time in nanoseconds since the start of the run; `from <= to`. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Whether two stretches share a moment; their ends count. */
export function touches(one: Interval, other: Interval): boolean {
  return one.from <= other.to && other.from <= one.to;
}

/** The part of `part` that lies in `within`, or undefined where that has no length. */
export function intersection(part: Interval, within: Interval): Interval | undefined {
  const from = Math.max(part.from, within.from);
  const to = Math.min(part.to, within.to);
  return from < to ? { from, to } : undefined;
}

/** The parts of `whole` that none of `parts` covers; `parts` are ascending and do not overlap. */
export function uncovered(whole: Interval, parts: readonly Interval[]): readonly Interval[] {
  const rest: Interval[] = [];
  let from = whole.from;
  for (const part of parts) {
    if (part.from > from) rest.push({ from, to: Math.min(part.from, whole.to) });
    from = Math.max(from, part.to);
  }
  if (from < whole.to) rest.push({ from, to: whole.to });
  return rest.filter((part) => part.from < part.to);
}
