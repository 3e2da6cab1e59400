import { expect, test } from "vitest";
import type { Grant, LockClient } from "../../core/lock-driver.ts";
import { mistakesOf } from "./testing/mistakes-of.ts";

test("a driver that keeps its last grant in one field releases another key", async () => {
  const found = await mistakesOf((right) => {
    let last: Grant | undefined;
    return {
      acquire: async (key, options) => {
        const answer = await right.acquire(key, options);
        if (answer.type === "ok") last = answer.value;
        return answer;
      },
      release: (grant) => right.release(last ?? grant),
    };
  });
  expect(found).toEqual({
    "own-grant":
      "release of k1 freed k2, which the same client holds: keep what belongs to a grant in a map under its owner value, not in one field",
  });
});

/** A driver that tells its holder that the lease is gone when this part of it is over, although the lock keeps it. */
const tellingAfter = (part: number) => (right: LockClient) => {
  let tell: Parameters<NonNullable<LockClient["onLost"]>>[0] = () => {};
  const parts: Partial<LockClient> = {
    onLost: (listener) => (tell = listener),
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type === "ok") setTimeout(() => tell(answer.value), options.ttlMs * part);
      return answer;
    },
  };
  return parts;
};

test("a driver that tells its holder of a loss while the servers keep the lease makes a mistake", async () => {
  const found = await mistakesOf(tellingAfter(0.1));
  expect(found["loss"]).toContain("told that its lease is gone (onLost) in the first half of it");
});

test("a lock that gives up its lease a little before the end makes none", async () => {
  expect(await mistakesOf(tellingAfter(0.9))).toEqual({});
});

test("a driver that takes servers that are down for another holder makes one", async () => {
  const found = await mistakesOf((right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      const isDown = answer.type === "info" && /refused|closed|Reached the max retries/i.test(answer.reason);
      return isDown ? { type: "fail", kind: "contended", reason: "null" } : answer;
    },
  }));
  expect(found["server-down"]).toBe(
    'acquire answered contended (null) while every server was down: answer { type: "info" } (a worker: "indeterminate")',
  );
});
