// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "./run-simulated.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { LockDriver } from "../core/lock-driver.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema } from "../core/plan.ts";
import { notesOf } from "./notes/run-notes.ts";
import { systematicPlans } from "./systematic/systematic-plans.ts";

const single = await (await import("../../lock-impl/ladder/single.ts")).single.load();

const section = { key: "k1", ttlMs: 1000, waitMs: 5000, steps: [{ do: "hold", forMs: 3000 }] };
const plan = planSchema.parse({
  format: PLAN_FORMAT,
  version: PLAN_VERSION,
  seed: 1,
  lock: "renewing",
  topology: { kind: "single" },
  clients: [{ sections: [section] }, { sections: [section] }],
  faults: [],
  limitMs: 30_000,
});

/** A lock whose holder sends the next renewal this long after the answer to the one before. */
function renewing(pauseMs: number): LockDriver {
  return {
    async connect(environment) {
      const lock = await single.connect(environment);
      const held = new Set<string>();
      return {
        async acquire(key, options) {
          const granted = await lock.acquire(key, options);
          if (granted.type !== "ok") return granted;
          held.add(granted.value.owner);
          void (async () => {
            while (held.has(granted.value.owner)) {
              await lock.extend?.(granted.value, 1000);
              if (pauseMs > 0) await sleep(pauseMs);
            }
          })();
          return granted;
        },
        async release(grant) {
          held.delete(grant.owner);
          return lock.release(grant);
        },
        async [Symbol.asyncDispose]() {
          held.clear();
          await lock[Symbol.asyncDispose]();
        },
      };
    },
  };
}

async function run(pauseMs: number) {
  const options = { title: "t", required: ["mutual-exclusion"] as const, driver: renewing(pauseMs) };
  return (await runSimulated(plan, options)).record;
}

test("a lock that renews without pause ends the run soon, which says so", async () => {
  const { history, verdict } = await run(0);
  expect(history.end?.value).toMatchObject({ run: "limit", sections: { planned: 2, done: 0 } });
  expect(history.end?.value.at).toBeLessThan(2e9);
  expect(verdict.verdict).toBe("unknown");
  expect(verdict.reasons[0]).toMatch(
    /^the run was stopped at [\d.,]+ ms, with 0 of 2 critical sections done: client-\d sent 2,000 messages to node-0 within [\d,]+ ms$/,
  );
  expect(notesOf({ plan, history, verdict }, "promisable")).toEqual([
    { kind: "flooded", what: "client sent N messages to node within N ms" },
  ]);
});

test("one that renews every two milliseconds is let alone", async () => {
  const { history } = await run(2);
  expect(history.end?.value.run).toBe("completed");
});

test("a plan of many short sections sends as much by itself, and is let alone", async () => {
  const busy = { ...section, steps: [] };
  const many = planSchema.parse({ ...plan, clients: [{ sections: Array.from({ length: 1_500 }, () => busy) }] });
  const options = { title: "t", required: ["mutual-exclusion"] as const, driver: single };
  const { history } = (await runSimulated(many, options)).record;
  expect(history.end?.value.run).toBe("completed");
  expect(history.end?.value.at).toBeLessThan(2e9);
});

test("a systematic search tries what it could not learn from, so that it can say so", { tags: "long" }, async () => {
  const drawnFrom = { lock: "renewing", topology: plan.topology, faults: [] };
  const learned: { readonly plan: unknown; readonly isStopped: boolean }[] = [];
  const { plans } = await systematicPlans({
    drawnFrom,
    seed: 1,
    learn: async (each) => {
      const options = { title: "t", required: ["mutual-exclusion"] as const, driver: renewing(0) };
      const { history } = (await runSimulated(each, options)).record;
      learned.push({ plan: each, isStopped: history.end?.value.reason !== undefined });
      return { history, messages: [] };
    },
    skills: { extends: false, reenters: false },
    promises: () => 1,
    most: 20,
  });
  const stopped = learned.filter(({ isStopped }) => isStopped);
  expect(stopped.length).toBeGreaterThan(0);
  for (const each of stopped) expect(plans).toContain(each.plan);
});
