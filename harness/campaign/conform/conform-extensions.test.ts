import { expect, test } from "vitest";
import type { Grant, LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";

/** The checks that found a mistake, with what they say. */
async function mistakesOf(driver: LockDriver): Promise<Readonly<Record<string, readonly string[]>>> {
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  const mistakes = checks.filter(({ outcome }) => outcome === "mistake");
  return Object.fromEntries(mistakes.map(({ name, details }) => [name, details]));
}

/** Its extensions add to what is left of the lease, and it says of them what `tell` makes of the truth. */
function adding(tell: (extended: Grant, ttlMs: number) => Grant): LockDriver {
  return driverWith((redis, right) => ({
    extend: async (grant, ttlMs) => {
      const left = await redis.pttl(grant.key);
      const answer = await right.extend!(grant, Math.max(0, left) + ttlMs);
      return answer.type === "ok" ? { type: "ok", value: tell(answer.value, ttlMs) } : answer;
    },
  }));
}

test("an extension that adds to what is left is a mistake", { tags: "long" }, async () => {
  expect(await mistakesOf(adding((extended, ttlMs) => ({ ...extended, validForMs: ttlMs })))).toEqual({
    extension: [expect.stringMatching(/^after three extensions of 2,500 ms the servers keep the lock for 8,749 ms: /)],
  });
});

test("it is right where the driver states what there is", { tags: "long" }, async () => {
  expect(await mistakesOf(adding((extended) => extended))).toEqual({});
});
