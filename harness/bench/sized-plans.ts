import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan } from "../core/plan.ts";
import { topologyOf, type TopologyKind } from "../core/topologies/registry.ts";

/** How much happens in a plan. */
export interface PlanSize {
  readonly name: string;
  readonly clients: number;
  /** Critical sections of each client. */
  readonly sections: number;
}

export const PLAN_SIZES: readonly PlanSize[] = [
  { name: "small", clients: 2, sections: 1 },
  { name: "medium", clients: 3, sections: 5 },
  { name: "large", clients: 5, sections: 20 },
];

/**
 * A plan of this size, for either backend: all clients contend for one key, hold it for 5 ms between a read and a write
 * of the guarded resource, and one of them is paused for 30 ms while it holds. Every section is granted, since all
 * clients wait long enough and no lease ends early.
 */
export function sizedPlan(kind: TopologyKind, { clients, sections }: PlanSize, seed: number): Plan {
  const section = {
    key: "k1",
    ttlMs: 10_000,
    waitMs: 60_000,
    steps: [{ do: "read" as const }, { do: "hold" as const, forMs: 5 }, { do: "write" as const }],
  };
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed,
    lock: soundLock(kind),
    topology: { kind },
    clients: Array.from({ length: clients }, () => ({ sections: Array.from({ length: sections }, () => section) })),
    faults: [
      {
        kind: "pause-client",
        params: { targets: ["client-0"] },
        at: { on: "acquire:ok", client: 0 },
        until: { on: "acquire:ok", client: 0, afterMs: 30 },
      },
    ],
    limitMs: 120_000,
  });
}

/** A sound lock that runs on a topology of Redis servers. */
function soundLock(kind: TopologyKind): string {
  return topologyOf(kind).arrangement === "independent" ? "redlock" : "fenced";
}
