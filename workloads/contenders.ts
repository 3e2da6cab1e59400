import { PLAN_FORMAT, PLAN_VERSION, type Plan, planSchema } from "../harness/core/plan.ts";
import { topologyOf } from "../harness/core/topologies/registry.ts";
import type { Supports } from "../harness/core/sharing.ts";
import type { TopologySpec } from "../harness/core/topology.ts";
import { isShareable, shareOfContenders } from "./sharing.ts";

/** How long after its lease a lock that nobody holds must be free. */
const SETTLING_MS = 2500;

export interface Contention {
  readonly lock: string;
  readonly topology: TopologySpec;
  readonly seed: number;
  readonly clients: number;
  /** Critical sections of each client. */
  readonly sections: number;
  /** What the lock supports: all clients but the last are readers, or the key has one permit less than clients. */
  readonly supports?: Supports | undefined;
}

/**
 * A small workload without faults, for explorations: each client takes the same key, reads the guarded resource, holds
 * for half of its lease, writes and releases. All begin at once, so they contend; a client waits for two leases, and
 * tries again if its topology needs that. At the end the last client seeks the lock for as long as a sound one can stay
 * taken: this shows a lock that is never freed.
 */
export function contenders({ lock, topology, seed, clients, sections, supports }: Contention): Plan {
  const { ttlsMs, tries, limitMs } = topologyOf(topology.kind).workload;
  const [ttlMs = 500] = ttlsMs;
  const steps = [
    { do: "read" as const },
    { do: "hold" as const, forMs: Math.round(ttlMs / 2) },
    { do: "write" as const },
  ];
  const section = { key: "k1", ttlMs, waitMs: 2 * ttlMs, tries, steps };
  const seeking = { ...section, waitMs: ttlMs + SETTLING_MS, steps: [] };
  const contending = Array.from({ length: clients }, (_, index) => ({
    sections: [...Array.from({ length: sections }, () => section), ...(index === clients - 1 ? [seeking] : [])],
  }));
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed,
    lock,
    topology,
    clients: isShareable(supports) ? shareOfContenders(supports, clients)(contending) : contending,
    faults: [],
    limitMs,
  });
}
