import { expect, it } from "vitest";
import { PLAN_FORMAT, PLAN_VERSION, planSchema } from "./plan.ts";
import { PLAN_BOUNDS } from "./plan-bounds.ts";

const section = { key: "k", ttlMs: 1000, waitMs: 0, steps: [] as object[] };
const plan = {
  format: PLAN_FORMAT,
  version: PLAN_VERSION,
  seed: 1,
  lock: "single",
  topology: { kind: "single" },
  clients: [{ sections: [section] }],
  faults: [] as object[],
};
const hold = { do: "hold", forMs: 1 };
const fault = { kind: "reset", at: { atMs: 1 } };
const of = (changed: object): object => ({ ...plan, clients: [{ sections: [{ ...section, ...changed }] }] });
const many = (count: number, item: object): object[] => Array.from({ length: count }, () => item);
const day = PLAN_BOUNDS.durationMs;

it.each([
  ["a limit", { ...plan, limitMs: day }, { ...plan, limitMs: day * 1.01 }],
  ["a TTL", of({ ttlMs: day }), of({ ttlMs: 1e300 })],
  ["a TTL that is no time", of({ ttlMs: 1e-6 }), of({ ttlMs: 1e-300 })],
  ["a wait", of({ waitMs: day }), of({ waitMs: day + 1 })],
  ["tries", of({ tries: 100_000 }), of({ tries: 9_007_199_254_740_991 })],
  ["a hold", of({ steps: [{ do: "hold", forMs: day }] }), of({ steps: [{ do: "hold", forMs: 1e15 }] })],
  ["steps", of({ steps: many(1000, hold) }), of({ steps: many(1001, hold) })],
  [
    "steps of a re-entry",
    of({ steps: [{ do: "reenter", ttlMs: 1, steps: many(1000, hold) }] }),
    of({ steps: [{ do: "reenter", ttlMs: 1, steps: many(1001, hold) }] }),
  ],
  ["a key", of({ key: "k".repeat(4096) }), of({ key: "k".repeat(4097) })],
  [
    "a time",
    { ...plan, faults: [{ ...fault, at: { atMs: day } }] },
    { ...plan, faults: [{ ...fault, at: { atMs: 1e300 } }] },
  ],
  [
    "a delay",
    { ...plan, faults: [{ ...fault, at: { on: "lost", afterMs: day } }] },
    { ...plan, faults: [{ ...fault, at: { on: "lost", afterMs: day * 2 } }] },
  ],
  ["faults", { ...plan, faults: many(1000, fault) }, { ...plan, faults: many(1001, fault) }],
  ["clients", { ...plan, clients: many(64, { sections: [] }) }, { ...plan, clients: many(65, { sections: [] }) }],
  [
    "sections",
    { ...plan, clients: [{ sections: many(20_000, section) }] },
    { ...plan, clients: [{ sections: many(100_001, section) }] },
  ],
])("%s: as much as the bound says, and no more", (_, most, more) => {
  expect(planSchema.safeParse(most).error).toBeUndefined();
  expect(planSchema.safeParse(more).success).toBe(false);
});
