import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../../core/plan.ts";

/** A plan with what a test cares about, and nothing else. */
export function plan(input: Partial<PlanInput> = {}): Plan {
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: "fake",
    topology: { kind: "single" },
    clients: [section({}), section({})],
    faults: [],
    ...input,
  });
}

/** A client with one critical section. */
export function section(
  input: Partial<PlanInput["clients"][number]["sections"][number]>,
): PlanInput["clients"][number] {
  return { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [], ...input }] };
}
