// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { planSchema } from "../../harness/core/plan.ts";
import { redisSemaphore } from "./redis-semaphore.ts";

const TTL_MS = 400;

/** A fault that keeps the renewal, due at 0.8 of the lease, from the server until the lease is over. */
interface CutOff {
  readonly kind: string;
  readonly params: object;
  readonly topology?: "single" | "sentinel";
  readonly seed?: number;
}

const cutOffs: readonly CutOff[] = [
  { kind: "reset", params: { between: [["client-0"], ["nodes"]], oneWay: false } },
  { kind: "reset", params: { between: [["client-0"], ["node-0"]], oneWay: false }, topology: "sentinel" },
  { kind: "kill-node", params: { targets: ["node-0"] }, seed: 2 },
  { kind: "restart-node", params: { targets: ["node-0"] } },
  { kind: "power-loss", params: { targets: ["node-0"] } },
];

function planFor(lock: string, { kind, params, topology = "single", seed = 3 }: CutOff) {
  const section = { key: "k1", ttlMs: TTL_MS, tries: 8, waitMs: 5_000, release: true };
  const hold = (forMs: number) => ({ ...section, steps: [{ do: "hold", forMs }] });
  const after = (afterMs: number) => ({ on: "acquire:ok", count: 1, client: 0, afterMs });
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed,
    lock,
    topology: { kind: topology, persistence: "always" },
    clients: [{ sections: [hold(800)] }, { sections: [hold(300), hold(300)] }],
    faults: [{ kind, params, at: after(300), until: after(500) }],
    limitMs: 30_000,
  });
}

async function exclusionOf(lock: string, cutOff: CutOff) {
  const { record } = await runSimulated(planFor(lock, cutOff), { title: "cut off", required: ["mutual-exclusion"] });
  expect(record.verdict.reasons).toEqual([]);
  return record.verdict.properties["mutual-exclusion"];
}

describe("a holder that cannot renew is not told before the server answers, and outlives its lease", () => {
  test.each(cutOffs.map((cutOff) => [cutOff.kind, cutOff.topology ?? "single", cutOff] as const))(
    "%s on %s",
    async (under, topology, cutOff) => {
      const limit = { property: "mutual-exclusion", topology, under, cause: "overrun" };
      expect(redisSemaphore.limits).toContainEqual(expect.objectContaining(limit));
      const lost = { verdict: "invalid", violations: [{ cause: "overrun" }] };
      expect(await exclusionOf("redis-semaphore", cutOff)).toMatchObject(lost);
      expect(await exclusionOf("watchdog", cutOff)).toMatchObject({ verdict: "valid" });
    },
  );
});

describe("a renewal that comes when the lease is over and another client has had the lock", () => {
  const published = readFileSync(new URL("../../docs/locks/plans/redis-semaphore-530.json", import.meta.url), "utf8");

  test.each([
    ["redis-semaphore-530", "invalid"],
    ["redis-semaphore", "valid"],
  ])("with %s, history and updates are %s", async (lock, verdict) => {
    const plan = planSchema.parse({ ...(JSON.parse(published) as object), lock });
    const required = ["linearizability", "lost-updates"] as const;
    const { record } = await runSimulated(plan, { title: "renewed late", required });
    expect(record.verdict.properties).toMatchObject({ linearizability: { verdict }, "lost-updates": { verdict } });
    const isTold = record.history.events.some(({ type }) => type === "lost");
    expect(isTold).toBe(verdict === "valid");
  });
});
