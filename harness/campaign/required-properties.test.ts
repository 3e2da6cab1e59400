import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loadDriver, noteStatements } from "../client/load-driver.ts";
import { planSchema, type Plan } from "../core/plan.ts";
import { TOPOLOGIES } from "../core/topology.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import type { Supports } from "../core/sharing.ts";
import { PROMISABLE } from "../core/verdict.ts";
import { promisedProperties, requiredProperties, testableProperties } from "./required-properties.ts";

const plan = (topology: TopologyKind, ...faults: string[]): Plan =>
  planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "./of-a-user.ts",
    topology: { kind: topology },
    clients: [{ sections: [] }],
    faults: faults.map((kind) => ({ kind, at: { atMs: 0 } })),
  });

describe("a lock that nobody has described", () => {
  test.each(TOPOLOGIES)("has to hold everything that a lock can promise on %s, without faults", (topology) => {
    expect(new Set(requiredProperties(plan(topology)))).toEqual(new Set(PROMISABLE));
  });

  test("need not outwit a client that is stopped for longer than its lease", () => {
    expect(requiredProperties(plan("single", "pause-client"))).not.toContain("mutual-exclusion");
    expect(requiredProperties(plan("single", "pause-client"))).toContain("lease-exclusion");
  });

  test("need not keep what no lock there keeps, and keeps the rest", () => {
    expect(requiredProperties(plan("sentinel", "failover"))).not.toContain("lease-exclusion");
    expect(requiredProperties(plan("single", "clock-jump"))).toContain("owner-release");
    expect(requiredProperties(plan("single", "clock-jump", "partition"))).toContain("fencing-tokens");
  });
});

describe("messages that are held back, behind Sentinels", () => {
  const held = (kind: string, ...between: readonly (readonly string[])[]): readonly string[] =>
    requiredProperties({ ...plan("sentinel"), faults: [{ kind, params: { between }, at: { atMs: 0 } }] });

  test("take no lease where only links of clients hold them: no replica is promoted", () => {
    for (const kind of ["latency", "stall", "partition"]) {
      const required = held(kind, ["client-0"], ["masters"]);
      for (const property of requiredProperties(plan("sentinel", "pause-client"))) expect(required).toContain(property);
    }
  });

  test("may have a replica promoted where servers do not hear each other", () => {
    expect(held("partition", ["client-0", "node-0"], ["replicas", "sentinels"])).not.toContain("lease-exclusion");
    expect(held("partition", ["client-0"], ["node-0"], ["sentinels"])).not.toContain("owner-release");
  });
});

describe("a jump of a client's clock", () => {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-clocks-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const jumping = (lock: string, target: string): Plan => {
    const faults = [{ kind: "clock-jump", params: { targets: [target], byMs: 500 }, at: { atMs: 0 } }];
    return { ...plan("single"), lock, faults };
  };
  const moduleOf = (name: string, more: string): string => {
    const path = join(folder, `${name}.mjs`);
    writeFileSync(path, `export const driver = { ${more} connect() {} };`);
    return path;
  };

  test("takes no lease of a user's lock whose driver says that its leases do not depend on such clocks", async () => {
    const [silent, independent] = [
      moduleOf("silent", ""),
      moduleOf("independent", "assumes: { clientClocks: false },"),
    ];
    await loadDriver(silent);
    await loadDriver(independent);
    const leases = ["lease-exclusion", "linearizability"];
    expect(requiredProperties(jumping(independent, "client-0"))).toEqual(expect.arrayContaining(leases));
    for (const [lock, target] of [
      [independent, "node-0"],
      [silent, "client-0"],
      ["./not-loaded.ts", "client-0"],
    ] as const) {
      const required = requiredProperties(jumping(lock, target));
      expect(required.filter((property) => leases.includes(property))).toEqual([]);
      expect(required).toContain("owner-release");
    }
  });

  test("changes nothing for a lock that is described", () => {
    const ofServer = requiredProperties(jumping("redlock5", "node-0"));
    expect(requiredProperties(jumping("redlock5", "client-0"))).toEqual(ofServer);
    expect(ofServer).toContain("owner-release");
  });
});

describe("a lock whose driver says that what it grants does not end by itself", () => {
  const without = (topology: TopologyKind, ...faults: string[]): readonly string[] => {
    const lock = "./without-leases.ts";
    noteStatements(lock, { leases: false, connect: () => Promise.reject(new Error("nobody connects")) });
    return requiredProperties({ ...plan(topology, ...faults), lock });
  };
  const exclusive = ["mutual-exclusion", "lease-exclusion", "linearizability"];

  test.each(["single", "redlock"] as const)(
    "has to exclude others on %s also while its holder is stopped or clocks jump",
    (topology) => {
      for (const fault of ["pause-client", "kill-client", "partition", "clock-jump"])
        expect(without(topology, fault)).toEqual(expect.arrayContaining(exclusive));
    },
  );

  test("may say so in its worker file", () => {
    const folder = mkdtempSync(join(tmpdir(), "lockstorm-endless-"));
    const workerFile = (name: string, stated: object): string => {
      const path = join(folder, `${name}.worker.json`);
      writeFileSync(path, JSON.stringify({ command: { program: "none" }, topologies: ["single"], ...stated }));
      return path;
    };
    const requiredOf = (lock: string): readonly string[] =>
      requiredProperties({ ...plan("single", "pause-client"), lock });
    expect(requiredOf(workerFile("endless", { leases: false }))).toEqual(expect.arrayContaining(exclusive));
    expect(requiredOf(workerFile("leased", {}))).not.toContain("mutual-exclusion");
    rmSync(folder, { recursive: true });
  });

  test("has to exclude others behind Sentinels unless a replica may be promoted", () => {
    expect(without("sentinel", "pause-client")).toEqual(expect.arrayContaining(exclusive));
    for (const fault of ["failover", "clock-jump"])
      expect(without("sentinel", fault).filter((property) => exclusive.includes(property))).toEqual([]);
  });

  test("need not become free where a server forgets that it was released", () => {
    expect(without("single", "kill-client")).toContain("deadlock-freedom");
    expect(requiredProperties(plan("single", "power-loss"))).toContain("deadlock-freedom");
    expect(without("single", "power-loss")).not.toContain("deadlock-freedom");
    expect(requiredProperties(plan("sentinel", "failover"))).toContain("deadlock-freedom");
    expect(without("sentinel", "failover")).not.toContain("deadlock-freedom");
  });
});

test("a plan whose faults leave only what concerns locks of another kind can say nothing", () => {
  const topology = { kind: "sentinel", persistence: "none", config: {} } as const;
  const simple = promisedProperties({ lock: "./of-a-user.ts", topology, supports: {}, fence: false });
  const queue = promisedProperties({ lock: "./of-a-user.ts", topology, supports: { fair: true }, fence: false });
  const killing = plan("sentinel", "kill-node");
  expect(requiredProperties(killing)).not.toEqual([]);
  expect(testableProperties(killing, simple)).toEqual([]);
  expect(testableProperties(killing, queue)).toEqual(["first-come-first-served"]);
  expect(testableProperties(plan("sentinel"), simple)).toEqual(simple);
});

describe("what a campaign should say something about", () => {
  const topology = { kind: "single", persistence: "none", config: {} } as const;

  test("is what the lock claims on its topology, under whatever faults", () => {
    const promised = promisedProperties({ lock: "single", topology, supports: {}, fence: false });
    expect(promised).toEqual(requiredProperties({ ...plan("single"), lock: "single" }));
    expect(promised).not.toContain("fencing-tokens");
  });

  test("is, of a lock that nobody has described, what any of its kind promises", () => {
    const promisedWith = (supports: Supports, fence: boolean) =>
      promisedProperties({ lock: "./of-a-user.ts", topology, supports, fence });
    const simple = ["lease-exclusion", "owner-release", "deadlock-freedom", "linearizability"];
    expect(promisedWith({}, false)).toEqual(simple);
    expect(promisedWith({ fair: true }, false)).toEqual([...simple, "first-come-first-served"]);
    expect(promisedWith({ severalKeys: true }, true)).toContain("all-or-nothing");
    expect(promisedWith({ severalKeys: true }, true)).toContain("fencing-tokens");
  });
});
