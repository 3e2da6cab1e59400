import { type ClientPlan, type Plan, planSchema } from "../../core/plan.ts";

/** How long a client holds the lock that would else release it at once: for longer than most faults need to take effect. */
const HOLDS_MS = [200, 500];

/**
 * Plans in which one client holds the lock for a while that would else release it at once: a fault that needs some time still
 * comes while it holds. Its lease is long enough, where the client asks for a shorter one.
 */
export function* heldPlans(plan: Plan): Generator<Plan> {
  for (const forMs of HOLDS_MS) {
    for (const [index, client] of plan.clients.entries()) {
      const held = holding(client, forMs);
      if (held === undefined) continue;
      // As a file of the plan gives it back.
      yield planSchema.parse({ ...plan, clients: plan.clients.map((each, place) => (place === index ? held : each)) });
    }
  }
}

/** The client with a longer first section; undefined where that one has steps of its own. */
function holding({ sections }: ClientPlan, forMs: number): ClientPlan | undefined {
  const [first, ...others] = sections;
  if (first === undefined || first.steps.length > 0) return undefined;
  const ttlMs = Math.max(first.ttlMs, 2 * forMs);
  return { sections: [{ ...first, ttlMs, steps: [{ do: "hold", forMs }] }, ...others] };
}
