import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UserError } from "../harness/core/errors.ts";
import type { TopologyKind } from "../harness/core/topologies/registry.ts";
import { FakeSystem } from "../harness/run/testing/fake-system.ts";
import { topologySchema } from "../harness/core/topology.ts";
import { reset } from "./reset.ts";
import { heal, inject } from "./testing/inject.ts";

const between = [["client-0"], ["node-0"]];

describe.each([
  ["partition", {}, "cut"],
  ["stall", {}, "stall"],
  ["latency", { delayMs: 300 }, "delay 300"],
] as const)("%s", (kind, params, action) => {
  test("disturbs both ways, and heals both", async () => {
    const system = new FakeSystem();
    const injected = await inject(system, kind, { between, ...params });
    expect(system.actions).toEqual([`${action} client-0->node-0`, `${action} node-0->client-0`]);
    expect(injected).toMatchObject({
      targets: ["client-0", "node-0"],
      outcome: "installed",
      evidence: `saw ${action} client-0->node-0; saw ${action} node-0->client-0`,
    });
    const healed = await heal(system, injected);
    expect(system.actions.slice(2)).toEqual(["heal client-0->node-0", "heal node-0->client-0"]);
    expect(healed).toEqual({
      outcome: "installed",
      evidence: "saw heal client-0->node-0; saw heal node-0->client-0",
    });
  });

  test("disturbs one way only when told so: from the first group", async () => {
    const system = new FakeSystem();
    await inject(system, kind, { between: between.toReversed(), oneWay: true, ...params });
    expect(system.actions).toEqual([`${action} node-0->client-0`]);
  });

  test("is indeterminate when one edge was not seen to be disturbed, or to be healed", async () => {
    const system = new FakeSystem();
    system.observed = (seen) => !seen.endsWith("node-0->client-0");
    const injected = await inject(system, kind, { between, ...params });
    expect(injected.outcome).toBe("indeterminate");
    expect((await heal(system, injected)).outcome).toBe("indeterminate");
  });

  test("is skipped where nothing ever flows", async () => {
    const system = new FakeSystem({ topology: "redlock" });
    const injected = await inject(system, kind, { between: [["node-0"], ["node-1"]], ...params });
    expect(injected).toMatchObject({ targets: [], outcome: "skipped" });
    expect(system.actions).toEqual([]);
  });

  test.each([{ between: undefined }, { between: [["client-0"]] }, { between: [["client-0"], []] }, { oneway: true }])(
    "refuses %o",
    async (wrong) => {
      await expect(inject(new FakeSystem(), kind, { between, ...params, ...wrong })).rejects.toThrow(UserError);
    },
  );
});

test("latency refuses a delay that is none", async () => {
  await expect(inject(new FakeSystem(), "latency", { between, delayMs: 0 })).rejects.toThrow(UserError);
});

describe("reset", () => {
  test("resets each pair once, regardless of the direction, and has nothing to heal", async () => {
    const system = new FakeSystem({ topology: "redlock" });
    const injected = await inject(system, "reset", { between: [["client-0"], ["node-0"], ["client-1"]] });
    expect(system.actions).toEqual(["reset client-0->node-0", "reset node-0->client-1"]);
    expect(injected.heal).toBeUndefined();
    expect(injected.outcome).toBe("installed");
  });

  test("is seen where one of several links had a connection, and not where none had", async () => {
    const system = new FakeSystem({ topology: "sentinel" });
    system.observed = (seen) => seen.endsWith("node-1");
    const between = [["client-0"], ["node-0", "node-1"]];
    expect(await inject(system, "reset", { between })).toEqual({
      targets: ["client-0", "node-0", "node-1"],
      outcome: "installed",
      evidence: "did not see reset client-0->node-0; saw reset client-0->node-1",
    });
    system.observed = () => false;
    expect((await inject(system, "reset", { between })).outcome).toBe("indeterminate");
  });

  test("finds a connection also where a client has none to replicas and Sentinels", async () => {
    const drawn = reset.arbitrary(topologySchema.parse({ kind: "sentinel" }), 2);
    await fc.assert(
      fc.asyncProperty(drawn ?? fc.constant({}), async (params) => {
        const system = new FakeSystem({ topology: "sentinel" });
        system.observed = (seen) => !/node-1|node-2|sentinel/.test(seen);
        expect((await inject(system, "reset", params)).outcome).toBe("installed");
      }),
    );
  });
});

describe("failover", () => {
  test("asks a Sentinel, and names the master it was about", async () => {
    const system = new FakeSystem({ topology: "sentinel" });
    system.masters = ["node-2"];
    expect(await inject(system, "failover", {})).toEqual({
      targets: ["node-2"],
      outcome: "installed",
      evidence: "saw failover",
    });
    system.observed = () => false;
    expect((await inject(system, "failover", {})).outcome).toBe("indeterminate");
    await expect(inject(system, "failover", { targets: ["node-0"] })).rejects.toThrow(UserError);
  });
});

/** The edges that a partition cuts. */
async function cut(
  topology: TopologyKind,
  groups: readonly (readonly string[])[],
  oneWay = false,
): Promise<readonly string[]> {
  const system = new FakeSystem({ topology });
  await inject(system, "partition", { between: groups, oneWay });
  return system.actions.map((action) => action.replace("cut ", ""));
}

describe("edges", () => {
  test("lead between all groups, one way from the first only", async () => {
    const groups = [["node-0"], ["node-1"], ["sentinel-0"]];
    expect(await cut("sentinel", groups)).toEqual([
      "node-0->node-1",
      "node-0->sentinel-0",
      "node-1->node-0",
      "node-1->sentinel-0",
      "sentinel-0->node-0",
      "sentinel-0->node-1",
    ]);
    expect(await cut("sentinel", groups, true)).toEqual(["node-0->node-1", "node-0->sentinel-0"]);
  });

  test("of roles are those of the nodes that have them", async () => {
    expect(await cut("sentinel", [["masters"], ["replicas"]], true)).toEqual(["node-0->node-1", "node-0->node-2"]);
  });

  test("leave a bridge to hosts that are in no group", async () => {
    const edges = await cut("sentinel", [
      ["node-0", "sentinel-0"],
      ["node-2", "sentinel-2"],
    ]);
    expect(edges).toHaveLength(8);
    expect(edges.join()).not.toMatch(/-1/);
  });

  test("are cut once, also when groups share members", async () => {
    const edges = await cut("redlock", [["clients"], ["node-0", "client-0"], ["nodes"]]);
    expect(new Set(edges).size).toBe(edges.length);
    expect(edges).toContain("client-0->node-4");
    expect(edges).not.toContain("client-0->client-0");
    expect(await cut("sentinel", [["masters"], ["node-0", "node-1"]], true)).toEqual(["node-0->node-1"]);
  });

  test.each([
    ["single", "client-0", "client-1", false],
    ["single", "client-0", "node-0", true],
    ["single", "client-0", "resource", true],
    ["single", "node-0", "resource", false],
    ["redlock", "node-0", "node-1", false],
    ["sentinel", "node-1", "node-2", true],
    ["sentinel", "node-1", "sentinel-2", true],
    ["sentinel", "client-1", "sentinel-0", true],
    ["sentinel", "sentinel-0", "resource", false],
  ] as const)("on %s, between %s and %s: %s", async (topology, one, other, connected) => {
    expect(await cut(topology, [[one], [other]])).toEqual(connected ? [`${one}->${other}`, `${other}->${one}`] : []);
  });
});

describe("faults that meet on an edge", () => {
  const edge = { between, oneWay: true };

  test("healing one does not heal the other", async () => {
    const system = new FakeSystem();
    const one = await inject(system, "partition", edge);
    const other = await inject(system, "stall", edge);
    expect(other).toMatchObject({
      outcome: "installed",
      evidence: "another fault already has this effect: saw cut client-0->node-0",
    });
    expect((await heal(system, one)).evidence).toBe("client-0->node-0 is still disturbed by another fault");
    expect(system.actions).toEqual(["cut client-0->node-0"]);
    await heal(system, other);
    expect(system.actions).toEqual(["cut client-0->node-0", "heal client-0->node-0"]);
  });

  test("the stronger acts, and leaves the edge to the weaker", async () => {
    const system = new FakeSystem();
    const slow = await inject(system, "latency", { ...edge, delayMs: 100 });
    const slower = await inject(system, "latency", { ...edge, delayMs: 700 });
    const cut = await inject(system, "partition", edge);
    expect(system.actions).toEqual([
      "delay 100 client-0->node-0",
      "delay 700 client-0->node-0",
      "cut client-0->node-0",
    ]);
    await heal(system, cut);
    expect(system.actions.slice(3)).toEqual(["heal client-0->node-0", "delay 700 client-0->node-0"]);
    await heal(system, slow);
    expect(system.actions).toHaveLength(5);
    await heal(system, slower);
    expect(system.actions.slice(5)).toEqual(["heal client-0->node-0"]);
  });

  test("the weaker does not weaken the stronger", async () => {
    const system = new FakeSystem();
    const cut = await inject(system, "partition", edge);
    const slow = await inject(system, "latency", { ...edge, delayMs: 100 });
    expect(system.actions).toEqual(["cut client-0->node-0"]);
    await heal(system, cut);
    expect(system.actions.slice(1)).toEqual(["heal client-0->node-0", "delay 100 client-0->node-0"]);
    await heal(system, slow);
    expect(system.actions.at(-1)).toBe("heal client-0->node-0");
  });

  test("one that rides on an unseen disturbance was not seen either", async () => {
    const system = new FakeSystem();
    system.observed = () => false;
    await inject(system, "partition", edge);
    system.observed = () => true;
    expect((await inject(system, "partition", edge)).outcome).toBe("indeterminate");
  });

  test("what was healed can be disturbed again; other edges and other systems are not concerned", async () => {
    const system = new FakeSystem();
    await heal(system, await inject(system, "partition", edge));
    await inject(system, "partition", edge);
    await inject(system, "partition", { between: between.toReversed(), oneWay: true });
    const other = new FakeSystem();
    await inject(other, "partition", edge);
    expect(system.actions.filter((action) => action.startsWith("cut"))).toHaveLength(3);
    expect(other.actions).toEqual(["cut client-0->node-0"]);
  });

  test("at the same moment take their turns", async () => {
    const system = new FakeSystem();
    system.injectionMs = 20;
    const [slow, cut] = await Promise.all([
      inject(system, "latency", { ...edge, delayMs: 100 }),
      inject(system, "partition", edge),
    ]);
    expect(system.timedActions).toEqual([
      [0, "delay 100 client-0->node-0"],
      [20, "cut client-0->node-0"],
    ]);
    await Promise.all([heal(system, slow), heal(system, cut)]);
    expect(system.actions.at(-1)).toBe("heal client-0->node-0");
  });
});
