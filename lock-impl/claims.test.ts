import { describe, expect, it } from "vitest";
import { CAUSES, PROPERTIES } from "../harness/core/verdict.ts";
import { type Claim, claimedProperties, DISK_LOSS, expectedLimits, type Limit } from "./claims.ts";
import { ladder } from "./ladder/ladder.ts";
import { findLock, locks } from "./registry.ts";

const KINDS = new Set([
  "none",
  "kill-client",
  "partition",
  "latency",
  "stall",
  "reset",
  "pause-client",
  "pause-node",
  "kill-node",
  "restart-node",
  "power-loss",
  "failover",
  "clock-jump",
  "clock-rate",
  "eviction",
  DISK_LOSS,
]);

const claims: readonly Claim[] = [
  { property: "lease-exclusion", topology: "single", under: ["latency", "stall"], because: "" },
  { property: "lease-exclusion", topology: "single", under: ["kill-node"], persistence: ["always"], because: "" },
  { property: "deadlock-freedom", topology: "redlock", under: [], because: "" },
];
const at = { topology: "single", persistence: "none", faults: [] } as const;

describe("claimedProperties", () => {
  it("holds without faults", () => expect(claimedProperties(claims, at)).toEqual(["lease-exclusion"]));
  it("holds under a mixture that one row names", () =>
    expect(claimedProperties(claims, { ...at, faults: ["stall", "latency"] })).toEqual(["lease-exclusion"]));
  it("is not made up of two rows", () =>
    expect(claimedProperties(claims, { ...at, persistence: "always", faults: ["stall", "kill-node"] })).toEqual([]));
  it("needs the persistence that it names", () => {
    expect(claimedProperties(claims, { ...at, faults: ["kill-node"] })).toEqual([]);
    expect(claimedProperties(claims, { ...at, persistence: "always", faults: ["kill-node"] })).toHaveLength(1);
  });
});

it("expects the limits of the faults at hand, and those that need none", () => {
  const limit = { property: "mutual-exclusion", topology: "single", cause: "overrun", source: "" } as const;
  const limits: readonly Limit[] = [
    { ...limit, under: "none" },
    { ...limit, under: "pause-client" },
  ];
  expect(expectedLimits(limits, at)).toHaveLength(1);
  expect(expectedLimits(limits, { ...at, faults: ["pause-client"] })).toHaveLength(2);
});

describe.each(locks.map((lock) => [lock.name, lock] as const))("%s", (_, lock) => {
  it("loads a driver", async () => expect(await lock.load()).toMatchObject({ connect: expect.any(Function) }));

  it("is named once, and found by its name", () => expect(findLock(lock.name)).toBe(lock));

  it("claims known properties under known faults, on topologies that it supports", () => {
    for (const claim of lock.claims) {
      expect(PROPERTIES).toContain(claim.property);
      expect(lock.topologies).toContain(claim.topology);
      expect(claim.under.filter((kind) => !KINDS.has(kind))).toEqual([]);
    }
    for (const limit of lock.limits) {
      expect(PROPERTIES).toContain(limit.property);
      expect(CAUSES).toContain(limit.cause);
      expect(lock.topologies).toContain(limit.topology);
      expect(KINDS).toContain(limit.under);
    }
  });

  it("claims fencing only when it mints a fencing token", () => {
    const fencing = lock.claims.filter(({ property }) => property === "fencing-tokens" || property === "stale-writes");
    expect(fencing.length > 0).toBe(lock.mintsFence);
  });

  it("names its flaw exactly when it is flawed", () => expect(lock.flaw !== undefined).toBe(lock.flawed));

  it.runIf(ladder.includes(lock) && !lock.flawed)("does not claim what it is known to lose", () => {
    for (const limit of lock.limits) {
      const faults = limit.under === "none" ? [] : [limit.under];
      const here = { topology: limit.topology, persistence: "none", faults } as const;
      expect(claimedProperties(lock.claims, here)).not.toContain(limit.property);
    }
  });
});
