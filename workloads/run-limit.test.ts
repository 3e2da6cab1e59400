import { expect, test } from "vitest";
import { topologyOf } from "../harness/core/topologies/registry.ts";
import type { PlanInput } from "../harness/core/plan.ts";
import { limitForClients } from "./run-limit.ts";

type ClientInput = PlanInput["clients"][number];

const { limitMs, longestFaultMs } = topologyOf("sentinel").workload;

/** A client that holds for so long in each of its sections. */
const holding = (...lengthsMs: readonly number[]): ClientInput => ({
  sections: lengthsMs.map((forMs) => ({ key: "k1", ttlMs: 10_000, waitMs: 0, steps: [{ do: "hold", forMs }] })),
});

test("a run whose clients hold for a short time ends when the topology says", () => {
  expect(limitForClients("sentinel", [holding(400, 2000), holding(1000)])).toBe(limitMs);
  expect(limitForClients("sentinel", [])).toBe(limitMs);
});

test("a run is long enough for its clients to hold one after another, and for a fault", () => {
  const clients = [holding(9600, 12_300, 11_600), holding(11_400), holding(9500, 5000)];
  const heldMs = 9600 + 12_300 + 11_600 + 11_400 + 9500 + 5000;
  expect(heldMs).toBeLessThan(limitMs);
  expect(limitForClients("sentinel", clients)).toBe(heldMs * 1.25 + longestFaultMs);
});

test("what a client holds within a hold counts", () => {
  const nested: ClientInput = {
    sections: [
      {
        key: "k1",
        ttlMs: 10_000,
        waitMs: 0,
        steps: [
          { do: "hold", forMs: 40_000 },
          { do: "reenter", ttlMs: 10_000, steps: [{ do: "hold", forMs: 40_000 }] },
        ],
      },
    ],
  };
  expect(limitForClients("sentinel", [nested])).toBe(80_000 * 1.25 + longestFaultMs);
});
