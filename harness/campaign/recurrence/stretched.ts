import { type Plan, planSchema } from "../../core/plan.ts";
import { slowMotion } from "./slow-motion.ts";

/** How much slower a whole plan may run. */
const SLOWER = [2, 4];
/** How much longer or shorter one duration may be. */
const FACTORS = [2, 0.5];
/** Every name ends with its unit, which distinguishes durations from all other numbers. */
const DURATION = /Ms$/;

/**
 * Plans with more room: the whole in slow motion, or one duration twice or half as long. Jitter and the time that a
 * message takes stay as they are, so that they weigh less.
 */
export function* stretchedPlans(plan: Plan): Generator<Plan> {
  for (const factor of SLOWER) {
    const slower = slowMotion(plan, factor);
    if (slower !== undefined) yield slower;
  }
  const { limitMs, ...rest } = plan;
  for (const factor of FACTORS) {
    for (let place = 0; ; place += 1) {
      const stretched = stretchOne(rest, place, factor);
      if (stretched === undefined) break;
      const parsed = planSchema.safeParse({ ...(stretched as object), limitMs });
      if (parsed.success) yield parsed.data;
    }
  }
}

/** The value with its duration number `place` changed; undefined when it has fewer. */
function stretchOne(value: object, place: number, factor: number): unknown {
  let left = place;
  const walk = (each: unknown, name: string): unknown => {
    if (typeof each === "number" && DURATION.test(name) && each !== 0) {
      left -= 1;
      return left === -1 ? Math.ceil(each * factor) : each;
    }
    if (Array.isArray(each)) return each.map((item) => walk(item, name));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, item]) => [key, walk(item, key)]));
  };
  const changed = walk(value, "");
  return left < 0 ? changed : undefined;
}
