// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { describe, expect, test } from "vitest";
import { planSchema, type PlanInput } from "../../harness/core/plan.ts";

const LOCK = "redis-semaphore-permits";
const TTL_MS = 1000;
const shared = { key: "k1", ttlMs: TTL_MS, waitMs: 0, limit: 2 } as const;
const hold = (forMs: number) => [{ do: "hold", forMs } as const];
const afterAcquire = (client: number, afterMs = 0) => ({ on: "acquire:ok", client, afterMs }) as const;

async function run(lock: string, clients: PlanInput["clients"], faults: PlanInput["faults"] = []) {
  const header = { format: "lockstorm-plan", version: 1, seed: 3, lock, topology: { kind: "single" } } as const;
  const plan = planSchema.parse({ ...header, clients, faults });
  const { record } = await runSimulated(plan, { title: "permits", required: ["lease-exclusion"] });
  expect(record.verdict.reasons).toEqual([]);
  return record;
}

test("grants as many permits as there are, of one or several at a time, and no more", async () => {
  const { history, verdict } = await run(LOCK, [
    { sections: [{ ...shared, permits: 2, steps: hold(400) }] },
    {
      sections: [
        { ...shared, after: afterAcquire(0), steps: [] },
        { ...shared, waitMs: 900, steps: hold(100) },
      ],
    },
    { sections: [{ ...shared, waitMs: 900, after: afterAcquire(0), steps: hold(100) }] },
  ]);
  const ended = history.events
    .filter(({ f, type }) => f === "acquire" && (type === "ok" || type === "fail"))
    .map(({ process, type }) => `${process} ${type}`);
  expect(ended).toEqual(["0 ok", "1 fail", ...(ended[2] === "1 ok" ? ["1 ok", "2 ok"] : ["2 ok", "1 ok"])]);
  const released = history.events.filter(({ f, type }) => f === "release" && type === "ok");
  expect(released.map(({ value }) => value)).toEqual([{ released: true }, { released: true }, { released: true }]);
  expect(verdict.properties["lease-exclusion"]).toMatchObject({ verdict: "valid" });
});

describe("a permit is deleted before its lease is over", () => {
  const alone = { ...shared, limit: 1 } as const;
  const holder = { sections: [{ ...alone, ttlMs: 1200, steps: hold(800) }] };
  const next = (ttlMs: number, afterMs: number) => ({
    sections: [{ ...alone, ttlMs, after: afterAcquire(0, afterMs), steps: hold(100) }],
  });

  test("when who asks has a shorter time-out, not when it has the same one", async () => {
    for (const [lock, ttlMs, verdict] of [
      [LOCK, 300, "invalid"],
      [LOCK, 1200, "valid"],
      ["semaphore", 300, "valid"],
    ] as const) {
      const judged = await run(lock, [holder, next(ttlMs, 400)]);
      const found = judged.verdict.properties["lease-exclusion"];
      expect([lock, ttlMs, found?.verdict]).toEqual([lock, ttlMs, verdict]);
      if (verdict === "invalid") expect(found?.violations).toMatchObject([{ cause: "double-grant" }]);
    }
  });

  test("when the clock of who asks is ahead by more than the time-out", async () => {
    const ahead = (byMs: number) => [
      { kind: "clock-jump", params: { targets: ["client-1"], byMs }, at: afterAcquire(0, 100) },
    ];
    for (const [lock, byMs, verdict] of [
      [LOCK, 1300, "invalid"],
      [LOCK, 600, "valid"],
      ["semaphore", 1300, "valid"],
    ] as const) {
      const judged = await run(lock, [holder, next(1200, 400)], ahead(byMs));
      const found = judged.verdict.properties["lease-exclusion"];
      expect([lock, byMs, found?.verdict]).toEqual([lock, byMs, verdict]);
      if (verdict === "invalid") expect(found?.violations).toMatchObject([{ cause: "clock-jump" }]);
    }
  });
});
