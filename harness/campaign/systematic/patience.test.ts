import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "./learn.ts";
import { composeLock } from "../../../lock-impl/parts/compose.ts";
import { LONG_TIMEOUTS, TIMEOUTS } from "../../../lock-impl/parts/connection-options.ts";
import { ownedKey } from "../../../lock-impl/parts/protocol.ts";
import type { LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { skillsOf } from "./systematic-plans.ts";

/** How long clients of a lock wait for a reply, as a search learns it. */
async function learned(driver: LockDriver, kind: "single" | "redlock" = "single"): Promise<number | undefined> {
  const drawnFrom = { lock: "./mine.ts", topology: topologySchema.parse({ kind }), faults: [] };
  return (await skillsOf({ drawnFrom, seed: 1, learn: learnSimulated({ driver }) })).patienceMs;
}

test("a search learns for how long clients wait for a reply", async () => {
  const waiting = (commandMs: number) => composeLock({ protocol: ownedKey, timeouts: { ...TIMEOUTS, commandMs } });
  expect(await learned(waiting(250))).toBe(250);
  expect(await learned(waiting(380))).toBe(380);
});

test("a client that waits for longer than any fault lasts has no such limit", async () => {
  expect(await learned(composeLock({ protocol: ownedKey, timeouts: LONG_TIMEOUTS }))).toBeUndefined();
});

test("of several servers that are asked at once, the requests to the others end no waiting", async () => {
  expect(await learned(asksAllAtOnce(180), "redlock")).toBe(180);
});

/** Asks all servers, and waits for each of them as long as this: what they answer does not matter here. */
function asksAllAtOnce(commandMs: number): LockDriver {
  const one = composeLock({ protocol: ownedKey, timeouts: { ...TIMEOUTS, commandMs } });
  return {
    async connect({ client, servers }) {
      if (servers.kind !== "redlock") throw new Error("it asks five servers");
      const locks = await Promise.all(
        servers.nodes.map((address) => one.connect({ client, servers: { kind: "single", address } })),
      );
      return {
        async acquire(key, options) {
          const [first] = await Promise.all(locks.map((lock) => lock.acquire(key, options)));
          return first ?? { type: "info", reason: "there is no server" };
        },
        release: async () => ({ type: "info", reason: "it never releases" }),
        [Symbol.asyncDispose]: async () => {
          for (const lock of locks) await lock[Symbol.asyncDispose]();
        },
      };
    },
  };
}
