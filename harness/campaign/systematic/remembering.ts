import type { Plan } from "../../core/plan.ts";

/** More than the small workloads of a lock. */
const REMEMBERED_PLANS = 50;

/**
 * The same as `run`, but what the latest plans gave is remembered. For runs that depend on nothing but their plan: cells of a
 * table that differ only in the fault learn from the same plans, and run the same plans without faults.
 * @param most of how many plans
 */
export function remembering<Result>(
  run: (plan: Plan) => Promise<Result>,
  most = REMEMBERED_PLANS,
): (plan: Plan) => Promise<Result> {
  const results = new Map<string, Promise<Result>>();
  return (plan) => {
    const name = JSON.stringify(plan);
    const result = results.get(name) ?? run(plan);
    results.delete(name);
    results.set(name, result);
    const [oldest] = results.keys();
    if (results.size > most && oldest !== undefined) results.delete(oldest);
    return result;
  };
}
