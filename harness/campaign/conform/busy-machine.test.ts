import { expect, test } from "vitest";
import type { LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { simulate } from "../../simulated/system/simulate.ts";
import { CHECKLIST } from "./checklist.ts";
import { planOfCheck } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";
import { Trial } from "./trial.ts";

/** What a check finds of a driver on a machine whose timers are so late. */
async function found(name: string, driver: LockDriver, lateMs = 0) {
  const check = CHECKLIST.find((each) => each.name === name);
  if (check === undefined) throw new RangeError(name);
  const plan = planOfCheck({ lock: "mine", topology: topologySchema.parse({ kind: "single" }), seed: 3 });
  const { value } = await simulate({ plan, driver }, (system) => Trial.of(system, check.run, { lateMs: () => lateMs }));
  return value;
}

/** A library that answers in time but for the first acquisitions: then its deadline is over before the answer is there. */
function hurried({ times, deadlineMs }: { readonly times: number; readonly deadlineMs: number }): LockDriver {
  return driverWith((_, right) => {
    let left = times;
    return {
      acquire: async (...args) => {
        left -= 1;
        const answer = await right.acquire(...args);
        if (left < 0) return answer;
        await new Promise((resolve) => setTimeout(resolve, deadlineMs));
        return { type: "info", reason: "timed out" };
      },
    };
  });
}

test.each(["grants", "broken-connection"])("%s: a client that is answered late now and then goes on", async (check) => {
  // The first acquisition of the other check is no part of what it asks.
  const driver = driverWith((_, right) => {
    let asked = 0;
    return {
      acquire: async (...args) => {
        asked += 1;
        const answer = await right.acquire(...args);
        return asked === 2 || (asked === 1 && check === "grants") ? { type: "info", reason: "timed out" } : answer;
      },
    };
  });
  expect(await found(check, driver)).toEqual({ outcome: "passed", details: [] });
});

test.each([
  ["is mistaken", 0, "mistake", /^acquire of the free key k1 answered info \(timed out\)$/],
  ["is mistaken on a machine that is late by too little", 20, "mistake", /^acquire of the free key k1/],
  [
    "decides nothing on a machine that is so late",
    30,
    "skipped",
    /^undecided on a busy machine.* 30 ms late: acquire of/,
  ],
] as const)("a client that is never answered in time %s", async (_, lateMs, outcome, words) => {
  const { outcome: got, details } = await found("grants", hurried({ times: 99, deadlineMs: 100 }), lateMs);
  expect([got, details[0]]).toEqual([outcome, expect.stringMatching(words)]);
});

test("what is answered sooner than any deadline is a mistake on any machine", async () => {
  const { outcome } = await found("grants", hurried({ times: 99, deadlineMs: 5 }), 1000);
  expect(outcome).toBe("mistake");
});

test("that a free lock is held is a mistake on any machine", async () => {
  const driver = driverWith(() => ({
    acquire: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { type: "fail", kind: "contended", reason: "held" };
    },
  }));
  expect(await found("grants", driver, 1000)).toMatchObject({ outcome: "mistake" });
});

test("a deadline of the library itself, longer than one reply takes, is a remark", async () => {
  expect(await found("one-try", hurried({ times: 9, deadlineMs: 60 }))).toEqual({
    outcome: "remark",
    details: [expect.stringMatching(/info \(timed out\) after 1\d\d ms: where replies are as late/)],
  });
});

test.each([
  ["giving-up", 300, "mistake", /^acquire took 3,0\d\d ms, with waitMs 500$/],
  [
    "giving-up",
    330,
    "skipped",
    /^undecided on a busy machine.* 330 ms late: acquire took 3,0\d\d ms, with waitMs 500$/,
  ],
  ["contention", 300, "mistake", /^acquire took 2,5\d\d ms, although waitMs was 0$/],
  ["contention", 330, "skipped", /^undecided on a busy machine.* 330 ms late: acquire took 2,5\d\d ms/],
] as const)("%s: one client is late, on a machine that is %s ms late", async (check, lateMs, outcome, words) => {
  const slow = driverWith((_, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type === "fail") await new Promise((resolve) => setTimeout(resolve, 2500));
      return answer;
    },
  }));
  const { outcome: got, details } = await found(check, slow, lateMs);
  expect([got, details[0]]).toEqual([outcome, expect.stringMatching(words)]);
});
