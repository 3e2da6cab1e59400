import { expect, test } from "vitest";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";

test("two acquisitions with one owner value: it says what to do where that is the one of a whole process", async () => {
  const driver = driverWith((redis) => ({
    acquire: async (key, { ttlMs }) => {
      const reply = await redis.set(key, "me", "PX", ttlMs, "NX");
      if (reply === null) return { type: "fail", kind: "contended", reason: "held" };
      return { type: "ok", value: { key, owner: "me" } };
    },
  }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  const { details } = checks.find(({ name }) => name === "owner-values")!;
  expect(details).toEqual([
    expect.stringMatching(/^two acquisitions of one client have the same owner value, me: .*randomUUID\(\)/),
    "two clients have the same owner value, me",
  ]);
});
