import { expect, test } from "vitest";
import { PLAN_FORMAT, PLAN_VERSION, planSchema } from "../harness/core/plan.ts";
import { withWholeLeases } from "./whole-leases.ts";

const steps = [
  { do: "hold", forMs: 10 },
  { do: "extend", ttlMs: 1000 },
  { do: "reenter", ttlMs: 1001, steps: [{ do: "extend", ttlMs: 1 }] },
];
const plan = planSchema.parse({
  format: PLAN_FORMAT,
  version: PLAN_VERSION,
  seed: 1,
  lock: "mine",
  topology: { kind: "single" },
  clients: [{ sections: [{ key: "k1", ttlMs: 800, waitMs: 7, steps }] }],
  faults: [],
});

test("every lease of a plan is rounded up to what the lock counts in, and nothing else changes", () => {
  const whole = withWholeLeases(plan, 1000);
  expect(whole.clients[0]?.sections[0]).toMatchObject({
    ttlMs: 1000,
    waitMs: 7,
    steps: [
      { do: "hold", forMs: 10 },
      { do: "extend", ttlMs: 1000 },
      { do: "reenter", ttlMs: 2000, steps: [{ do: "extend", ttlMs: 1000 }] },
    ],
  });
  expect(withWholeLeases(plan, 1)).toEqual(plan);
});
