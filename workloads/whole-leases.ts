import { type Plan, planSchema, type Section, type Step } from "../harness/core/plan.ts";

/**
 * The same plan with leases that the lock can have: each is rounded up to a whole multiple of what the lock counts in, as
 * generated plans have them. A lock that counts in seconds refuses, or shortens, any other.
 * @param ttlGranularityMs what the lock counts its leases in
 */
export function withWholeLeases(plan: Plan, ttlGranularityMs: number): Plan {
  const whole = (ttlMs: number): number => Math.ceil(ttlMs / ttlGranularityMs) * ttlGranularityMs;
  const step = <S extends Step>(each: S): S => {
    const inner = "steps" in each ? { steps: each.steps.map(step) } : {};
    return "ttlMs" in each ? { ...each, ...inner, ttlMs: whole(each.ttlMs) } : each;
  };
  const section = (each: Section): Section => ({ ...each, ttlMs: whole(each.ttlMs), steps: each.steps.map(step) });
  const clients = plan.clients.map((client) => ({ ...client, sections: client.sections.map(section) }));
  return planSchema.parse({ ...plan, clients });
}
