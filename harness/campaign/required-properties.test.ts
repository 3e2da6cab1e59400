import { describe, expect, test } from "vitest";
import { planSchema, type Plan } from "../core/plan.ts";
import { TOPOLOGIES } from "../core/topology.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import { PROMISABLE } from "../core/verdict.ts";
import { requiredProperties } from "./required-properties.ts";

const plan = (topology: TopologyKind, ...faults: string[]): Plan =>
  planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "./of-a-user.ts",
    topology: { kind: topology },
    clients: [{ sections: [] }],
    faults: faults.map((kind) => ({ kind, at: { atMs: 0 } })),
  });

describe("a lock that nobody has described", () => {
  test.each(TOPOLOGIES)("has to hold everything that a lock can promise on %s, without faults", (topology) => {
    expect(new Set(requiredProperties(plan(topology)))).toEqual(new Set(PROMISABLE));
  });

  test("need not outwit a client that is stopped for longer than its lease", () => {
    expect(requiredProperties(plan("single", "pause-client"))).not.toContain("mutual-exclusion");
    expect(requiredProperties(plan("single", "pause-client"))).toContain("lease-exclusion");
  });

  test("need not keep what no lock there keeps, and keeps the rest", () => {
    expect(requiredProperties(plan("sentinel", "failover"))).not.toContain("lease-exclusion");
    expect(requiredProperties(plan("single", "clock-jump"))).toContain("owner-release");
    expect(requiredProperties(plan("single", "clock-jump", "partition"))).toContain("fencing-tokens");
  });
});
