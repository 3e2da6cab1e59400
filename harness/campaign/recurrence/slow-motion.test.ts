import { expect, test } from "vitest";
import { PLAN_FORMAT, PLAN_VERSION, planSchema } from "../../core/plan.ts";
import { slowMotion } from "./slow-motion.ts";

const plan = planSchema.parse({
  format: PLAN_FORMAT,
  version: PLAN_VERSION,
  seed: 1,
  lock: "single",
  topology: { kind: "single" },
  clients: [
    { sections: [{ key: "k1", ttlMs: 300, waitMs: 0, tries: 2, steps: [{ do: "hold", forMs: 240 }], release: true }] },
  ],
  faults: [
    {
      kind: "clock-jump",
      params: { targets: ["node-0"], byMs: 300 },
      at: { on: "acquire:invoke", count: 3, afterMs: 0.5 },
    },
  ],
  limitMs: 30_000,
});

test("every duration of a stretched plan is longer, and nothing else is another", () => {
  const slow = slowMotion(plan, 4);
  expect(slow?.clients[0]?.sections[0]).toMatchObject({ ttlMs: 1200, tries: 2, steps: [{ forMs: 960 }] });
  expect(slow?.faults[0]?.at).toEqual({ on: "acquire:invoke", count: 3, afterMs: 2 });
  expect(slow?.limitMs).toBe(30_000);
  expect(slowMotion(plan, 1)).toEqual(plan);
});

test("a plan that would take too long is not stretched", () => {
  expect(slowMotion(plan, 50)).toEqual(expect.anything());
  expect(slowMotion(plan, 51)).toBeUndefined();
});
