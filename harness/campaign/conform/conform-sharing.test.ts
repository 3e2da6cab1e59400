import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Sharing } from "../../core/sharing.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";

const TAKE_PERMITS = `
local held = 0
for _, owner in ipairs(redis.call('HKEYS', KEYS[1])) do
  if redis.call('EXISTS', owner) == 1 then held = held + redis.call('HGET', KEYS[1], owner) else redis.call('HDEL', KEYS[1], owner) end
end
if held + ARGV[2] > tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SET', ARGV[1], '', 'PX', ARGV[4])
return 1`;

test.each([
  ["permits", ({ limit = 1, permits = 1 }: Sharing) => [permits, limit]],
  ["readers", ({ mode = "exclusive" }: Sharing) => [mode === "shared" ? 1 : 9, 9]],
] as const)("a lock that cannot tell why it was refused may say so of %s too", async (check, sharesOf) => {
  const driver = driverWith((redis) => ({
    acquire: async (key, options) => {
      const owner = randomUUID();
      const taken = await redis.eval(TAKE_PERMITS, 1, key, owner, ...sharesOf(options), options.ttlMs);
      return taken === 1
        ? { type: "ok", value: { key, owner } }
        : { type: "info", reason: "it waits as long as it takes" };
    },
    release: async ({ key, owner }) => {
      await redis.del(owner);
      return { type: "ok", value: { released: (await redis.hdel(key, owner)) === 1 } };
    },
  }));
  const { checks } = await conformDriver({
    lock: "mine",
    topology: topologySchema.parse({ kind: "single" }),
    seed: 3,
    driver: { ...driver, supports: check === "permits" ? { permits: true } : { modes: true } },
  });
  const { outcome, details } = checks.find(({ name }) => name === check)!;
  expect([outcome, details]).toEqual([
    "remark",
    [expect.stringContaining("answered info (it waits as long as it takes): a lock that nobody is granted")],
  ]);
});
