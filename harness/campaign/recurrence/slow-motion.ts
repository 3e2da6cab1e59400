import { type Plan, planSchema } from "../../core/plan.ts";

/** No duration in a stretched plan may be longer: a table has hundreds of runs. */
const LONGEST_MS = 15_000;

/**
 * A plan in slow motion: each duration is `factor` times as long, those of leases, holds, faults and clock jumps alike.
 * The events stay the same, except for what has a speed of its own: a real server needs some hundred milliseconds to
 * start again, in which a short lease ends.
 * @returns undefined when the plan would take too long
 */
export function slowMotion(plan: Plan, factor: number): Plan | undefined {
  const stretched = planSchema.parse({ ...stretch(plan, factor), limitMs: plan.limitMs });
  return Math.max(0, ...durationsIn({ ...stretched, limitMs: 0 })) <= LONGEST_MS ? stretched : undefined;
}

/** Every name ends with its unit, which distinguishes durations from all other numbers. */
const DURATION = /Ms$/;

function stretch<T>(value: T, factor: number): T {
  if (Array.isArray(value)) return value.map((each) => stretch(each, factor)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each === "number" && DURATION.test(name) ? each * factor : stretch(each, factor),
    ]),
  ) as T;
}

function durationsIn(value: unknown): readonly number[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === "number" && DURATION.test(name) ? [Math.abs(each)] : durationsIn(each),
  );
}
