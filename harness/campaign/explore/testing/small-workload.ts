import { PLAN_FORMAT, PLAN_VERSION, type Plan, planSchema } from "../../../core/plan.ts";
import type { TopologyKind } from "../../../core/topologies/registry.ts";

/** Two clients that take a lock once each, one after the other: about five messages on one server. */
export function smallWorkload(lock: string, kind: TopologyKind): Plan {
  const section = { key: "k1", ttlMs: 300, waitMs: 400, steps: [{ do: "hold", forMs: 60 } as const] };
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock,
    topology: { kind },
    clients: [{ sections: [section] }, { sections: [section] }],
    faults: [],
  });
}
