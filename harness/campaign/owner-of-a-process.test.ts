import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { LockDriver } from "../core/lock-driver.ts";
import { topologySchema } from "../core/topology.ts";
import { driverWith } from "./conform/testing/right-drivers.ts";
import { expectSilence, freshStores } from "./testing/results.ts";
import { verify } from "./verification.ts";

const fresh = freshStores();
expectSilence();

const ENTER = `if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
return 0`;
const LEAVE = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) == 0 then redis.call('DEL', KEYS[1]) end
return 1`;

/** A lock that lets every request of its process in again, and counts them; the owner values that its driver answers. */
function ofAProcess(owner: "of the process" | "of the acquisition"): LockDriver {
  return driverWith((redis) => {
    const process = randomUUID();
    return {
      acquire: async (key, { ttlMs }) => {
        const validFromMs = performance.now();
        const value = { key, owner: owner === "of the process" ? process : randomUUID() };
        const isIn = (await redis.eval(ENTER, 1, key, process, ttlMs)) === 1;
        if (isIn) return { type: "ok", value: { ...value, validForMs: ttlMs, validFromMs } };
        return { type: "fail", kind: "contended", reason: "held" };
      },
      extend: async () => ({ type: "info", reason: "this lock does not extend leases" }),
      release: async ({ key }) => {
        const released = (await redis.eval(LEAVE, 1, key, process)) === 1;
        return { type: "ok", value: { released } };
      },
    };
  });
}

test.each([
  ["of the process", undefined],
  ["of the acquisition", "invalid"],
] as const)(
  "a second request of a process that is let in, with an owner value %s",
  { tags: "long" },
  async (owner, expected) => {
    const { counterexample, valid, runs } = await verify(
      {
        lock: "mine",
        title: "mine",
        topology: topologySchema.parse({ kind: "single" }),
        faults: [],
        runs: 12,
        shrinkRuns: 20,
        budgetMs: 60_000,
        seed: 1,
        store: fresh(),
      },
      { driver: ofAProcess(owner) },
    );
    const { verdict, violations = [] } = counterexample?.record.verdict.properties["lease-exclusion"] ?? {};
    expect(verdict).toBe(expected);
    if (expected === undefined) expect(valid).toBe(runs);
    else expect(violations[0]?.explanation).toContain("promised");
  },
);
