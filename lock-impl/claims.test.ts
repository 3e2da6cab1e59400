import { describe, expect, it } from "vitest";
import { classesOf, classOf, faultsCoveredBy } from "../faults/fault-classes.ts";
import { faults } from "../faults/registry.ts";
import { FAULT_EFFECTS } from "../harness/core/fault-traits.ts";
import { CAUSES, PROPERTIES } from "../harness/core/verdict.ts";
import { type Claim, claimedProperties, expectedLimits, type Limit, type StatedClaim } from "./claims.ts";
import { ladder } from "./ladder/ladder.ts";
import { findLock, locks } from "./registry.ts";

const KINDS = new Set(["none", ...faults.flatMap(({ kind }) => classesOf(kind).map(({ name }) => name))]);

const claims: readonly Claim[] = [
  { property: "lease-exclusion", topology: "single", under: ["holds-messages", "pauses-client"], because: "" },
  {
    property: "lease-exclusion",
    topology: "single",
    under: ["kills-node", "loses-memory"],
    persistence: ["always"],
    because: "",
  },
  { property: "deadlock-freedom", topology: "redlock", under: [], because: "" },
];
const at = { topology: "single", persistence: "none", faults: [] } as const;

describe("claimedProperties", () => {
  it("holds without faults", () => expect(claimedProperties(claims, at)).toEqual(["lease-exclusion"]));
  it("holds under a mixture that one row names", () =>
    expect(claimedProperties(claims, { ...at, faults: [classOf("stall"), classOf("pause-client")] })).toEqual([
      "lease-exclusion",
    ]));
  it("is not made up of two rows", () =>
    expect(
      claimedProperties(claims, { ...at, persistence: "always", faults: [classOf("stall"), classOf("kill-node")] }),
    ).toEqual([]));
  it("covers a fault only with all that the fault does", () => {
    const dies: readonly Claim[] = [
      { property: "owner-release", topology: "single", under: ["kills-node"], because: "" },
    ];
    expect(claimedProperties(dies, { ...at, faults: [classOf("kill-node")] })).toEqual([]);
  });
  it("may name faults where a worker file states it", () => {
    const stated: readonly StatedClaim[] = [
      { property: "owner-release", topology: "single", under: ["kill-node", "disk-loss"], because: "" },
    ];
    const under = (params: object): readonly string[] =>
      claimedProperties(stated, { ...at, faults: [classOf("restart-node", { ...params }), classOf("kill-node")] });
    expect(under({ keepData: false })).toEqual(["owner-release"]);
    expect(under({ keepData: true })).toEqual([]);
  });
  it("needs the persistence that it names", () => {
    expect(claimedProperties(claims, { ...at, faults: [classOf("kill-node")] })).toEqual([]);
    expect(claimedProperties(claims, { ...at, persistence: "always", faults: [classOf("kill-node")] })).toHaveLength(1);
  });
});

it("expects the limits of the faults at hand, and those that need none", () => {
  const limit = { property: "mutual-exclusion", topology: "single", cause: "overrun", source: "" } as const;
  const limits: readonly Limit[] = [
    { ...limit, under: "none" },
    { ...limit, under: "pause-client" },
  ];
  expect(expectedLimits(limits, at)).toHaveLength(1);
  expect(expectedLimits(limits, { ...at, faults: [classOf("pause-client")] })).toHaveLength(2);
});

describe.each(locks.map((lock) => [lock.name, lock] as const))("%s", (_, lock) => {
  it("loads a driver", async () => expect(await lock.load()).toMatchObject({ connect: expect.any(Function) }));

  it("is named once, and found by its name", () => expect(findLock(lock.name)).toBe(lock));

  it("claims known properties under known faults, on topologies that it supports", () => {
    for (const claim of lock.claims) {
      expect(PROPERTIES).toContain(claim.property);
      expect(lock.topologies).toContain(claim.topology);
      expect(FAULT_EFFECTS).toEqual(expect.arrayContaining([...claim.under]));
      expect(faultsCoveredBy(claim.under)).not.toEqual([]);
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
      const classes = faults.flatMap(({ kind }) => classesOf(kind)).filter(({ name }) => name === limit.under);
      const here = { topology: limit.topology, persistence: "none", faults: classes } as const;
      expect(claimedProperties(lock.claims, here)).not.toContain(limit.property);
    }
  });
});
