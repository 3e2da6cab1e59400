import { expect, test } from "vitest";
import type { LockClient, LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { simulate } from "../../simulated/system/simulate.ts";
import { conformDriver, planOfCheck } from "./conform-driver.ts";
import { mistakeShownByAGrant } from "./shown-by-a-grant.ts";
import { driverWith } from "./testing/right-drivers.ts";
import { KEY, LEASE_MS, Trial } from "./trial.ts";

const topology = topologySchema.parse({ kind: "single" });

/** A lock that gives up what it holds as soon as its client is connected again, as some libraries do after any error of it. */
const givingUp = (tells: boolean): LockDriver =>
  driverWith((redis, right) => {
    const listeners: Parameters<NonNullable<LockClient["onLost"]>>[0][] = [];
    let wasReady = false;
    let held: { key: string; owner: string } | undefined;
    redis.on("ready", () => {
      if (wasReady && held !== undefined) {
        if (tells) for (const listener of listeners) listener(held);
        void right.release(held);
      }
      wasReady = true;
    });
    return {
      acquire: async (key, options) => {
        const answer = await right.acquire(key, options);
        if (answer.type === "ok") held = answer.value;
        return answer;
      },
      release: (grant) => {
        held = undefined;
        return right.release(grant);
      },
      onLost: (listener) => void listeners.push(listener),
    };
  });

/** A lock that grants whatever it is asked for. */
const blind = (standing = new Set<string>()): LockDriver =>
  driverWith((redis, right) => ({
    acquire: async (key, options) => {
      await redis.del(key);
      const answer = await right.acquire(key, options);
      if (answer.type === "ok") standing.add(answer.value.owner);
      return answer;
    },
    release: (grant) => {
      standing.delete(grant.owner);
      return right.release(grant);
    },
  }));

const found = async (driver: LockDriver, check: string): Promise<unknown> => {
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  return checks.find(({ name }) => name === check);
};

test("a lock that gives up what its client holds because the connection broke, and tells nobody, is found", async () => {
  expect(await found(givingUp(false), "broken-connection")).toMatchObject({
    outcome: "mistake",
    details: [
      expect.stringContaining(
        "another client was granted the lock within the lease of its holder, whose connections had been reset",
      ),
    ],
  });
});

test("one that tells its holder is right", async () => {
  expect(await found(givingUp(true), "broken-connection")).toMatchObject({ outcome: "passed" });
});

test.each(["own-grant", "foreign-release", "broken-connection", "expiry"])(
  "a lock that grants whatever is asked for is not said to have freed what others hold: %s",
  async (check) => {
    expect(await found(blind(), check)).toMatchObject({
      outcome: "mistake",
      details: ["a second client was granted a lock that is held"],
    });
  },
);

/** A lock that two clients hold at a time, which nobody asked it for. */
const withTwoPlaces = (standing: Set<string>): LockDriver =>
  driverWith((_, right) => ({
    acquire: async (key, options) => {
      const first = await right.acquire(`${key}-0`, { ...options, waitMs: 0 });
      const answer = first.type === "ok" ? first : await right.acquire(`${key}-1`, options);
      if (answer.type !== "ok") return answer;
      standing.add(answer.value.owner);
      return { type: "ok", value: { ...answer.value, key, place: answer.value.key } };
    },
    release: (grant) => {
      standing.delete(grant.owner);
      return right.release({ ...grant, key: String(grant.place) });
    },
  }));

test.each(["own-grant", "foreign-release", "broken-connection"])(
  "nor one that grants a key to two clients: %s",
  async (check) => {
    expect(await found(withTwoPlaces(new Set()), check)).toMatchObject({
      outcome: "mistake",
      details: ["a second client was granted a lock that is held"],
    });
  },
);

test.each([
  ["two clients", withTwoPlaces],
  ["any client", blind],
])("what a lock that grants a key to %s grants to show that is given back", async (_, lockOf) => {
  const standing = new Set<string>();
  const plan = planOfCheck({ lock: "mine", topology, seed: 3 });
  await simulate({ plan, driver: lockOf(standing) }, (system) =>
    Trial.of(system, async (trial) => {
      const held = await trial.granted(0, { ttlMs: LEASE_MS });
      await mistakeShownByAGrant(trial, held, [1, 2], KEY, "freed");
      await trial.release(0, held);
    }),
  );
  expect(standing).toEqual(new Set());
});

test("a release that frees another key than it is asked for is found, however long releases take", async () => {
  const confused = driverWith((_, right) => {
    let last: { key: string; owner: string } | undefined;
    return {
      acquire: async (key, options) => {
        const answer = await right.acquire(key, options);
        if (answer.type === "ok") last = answer.value;
        return answer;
      },
      release: async (grant) => {
        await new Promise((resolve) => setTimeout(resolve, 0.6 * LEASE_MS));
        return right.release(last ?? grant);
      },
    };
  });
  expect(await found(confused, "own-grant")).toMatchObject({
    outcome: "mistake",
    details: [expect.stringContaining("release of k1 freed k2")],
  });
});

test.each([true, false])("a try that goes on after acquire was refused is remarked: %s", async (goesOn) => {
  const leaving = driverWith((redis, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type === "ok" || !goesOn) return answer;
      const timer = setInterval(() => {
        void (async () => {
          if ((await redis.set(key, "left", "PX", options.ttlMs, "NX")) !== "OK") return;
          clearInterval(timer);
          await right.release({ key, owner: "left" });
        })().catch(() => {});
      }, 200);
      return answer;
    },
  }));
  const remarked = {
    outcome: "remark",
    details: [
      expect.stringMatching(
        /^in the 4,000 ms after an acquire had been answered contended .*, \d\d more commands were sent to node-0 than before it: a try that goes on/,
      ),
    ],
  };
  expect(await found(leaving, "giving-up")).toMatchObject(goesOn ? remarked : { outcome: "passed" });
});
