import fc from "fast-check";
import { expect, test } from "vitest";
import { planSchema } from "../harness/core/plan.ts";
import { topologySchema } from "../harness/core/topology.ts";
import { FakeSystem } from "../harness/run/testing/fake-system.ts";
import { faults } from "./registry.ts";
import { inject } from "./testing/inject.ts";

/** The names of faults, as the design and the claims of the locks use them. */
const IDS = [
  "kill-client",
  "partition",
  "latency",
  "stall",
  "reset",
  "pause-client",
  "pause-node",
  "kill-node",
  "restart-node",
  "power-loss",
  "failover",
  "clock-jump",
  "clock-rate",
  "eviction",
  "forget-fences",
];
test("every fault has an id of its own, and every id has its fault", () => {
  const kinds = faults.map(({ kind }) => kind);
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(kinds.toSorted()).toEqual(IDS.toSorted());
});

test("every fault says what happens, in one line without a full stop", () => {
  for (const { summary } of faults) expect(summary).toMatch(/^[^\n.]{10,}[^\n.]$/);
});

test("a failover is drawn only where somebody can be promoted, a forgetful resource never, anything else everywhere", () => {
  for (const kind of ["single", "sentinel", "redlock"] as const) {
    const topology = topologySchema.parse({ kind });
    const impossible = faults.filter((fault) => fault.arbitrary(topology, 2) === undefined).map(({ kind }) => kind);
    expect(impossible).toEqual([...(kind === "sentinel" ? [] : ["failover"]), "forget-fences"]);
  }
});

test.each([
  ["none", ["power-loss", "failover", "clock-rate", "eviction"]],
  ["everysec", ["power-loss", "failover", "clock-rate", "eviction"]],
  ["always", ["failover", "clock-rate", "eviction"]],
] as const)("what cannot happen to PostgreSQL with persistence %s says why, and is not drawn", (persistence, kinds) => {
  const topology = topologySchema.parse({ kind: "postgres", persistence });
  const impossible = faults.filter((fault) => fault.unsupportedReason?.(topology) !== undefined);
  expect(impossible.map(({ kind }) => kind)).toEqual(kinds);
  for (const fault of impossible) {
    expect(fault.arbitrary(topology, 2)).toBeUndefined();
    expect(fault.unsupportedReason?.(topology)).toMatch(/^[a-z].{10,}[^.]$/);
  }
});

test("anything can happen to Redis, but that a failover needs a replica", () => {
  for (const kind of ["single", "sentinel", "redlock"] as const) {
    const topology = topologySchema.parse({ kind });
    const impossible = faults.filter((fault) => fault.unsupportedReason?.(topology) !== undefined);
    expect(impossible.map((fault) => fault.kind)).toEqual(kind === "sentinel" ? [] : ["failover"]);
  }
});

test.each(["single", "sentinel", "redlock", "postgres"] as const)(
  "what is drawn for %s can be saved, read and injected, and finds something to hit",
  { tags: "long" },
  async (kind) => {
    const topology = topologySchema.parse({ kind });
    for (const fault of faults) {
      for (const clients of [1, 2, 5]) {
        const arbitrary = fault.arbitrary(topology, clients);
        if (arbitrary === undefined) continue;
        await fc.assert(
          fc.asyncProperty(arbitrary, async (params) => {
            const saved: unknown = JSON.parse(JSON.stringify(params));
            expect(saved).toEqual(params);
            planSchema.shape.faults.parse([{ kind: fault.kind, params: saved, at: { atMs: 0 } }]);
            const system = new FakeSystem({ topology: kind, clients });
            const injected = await inject(system, fault.kind, saved as typeof params);
            expect(injected.outcome).toBe("installed");
            expect(injected.targets.length).toBeGreaterThan(0);
          }),
          { numRuns: 40 },
        );
      }
    }
  },
);
