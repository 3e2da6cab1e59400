import { expect, test } from "vitest";
import { classesOf, classOf, faultsCoveredBy, kindOf } from "./fault-classes.ts";
import { faults } from "./registry.ts";

const KEPT = { name: "restart-node", effects: ["kills-node", "loses-memory"] };

test("a node that lost its disk is another fault than one that kept it", () => {
  expect(classOf("restart-node", { keepData: false })).toEqual({
    name: "disk-loss",
    effects: ["kills-node", "loses-disk"],
  });
  expect(classOf("restart-node", { keepData: true })).toEqual(KEPT);
  expect(classOf("restart-node")).toEqual(KEPT);
  expect(classOf("latency", { keepData: false }).name).toBe("latency");
  expect(classOf("smoke")).toEqual({ name: "smoke", effects: ["loses-unknown"] });
});

test("a jump of clients' clocks does less than one of a server's, and has its name", () => {
  const jump = (...targets: readonly string[]) => classOf("clock-jump", { targets, byMs: 500 });
  const ofClients = { name: "clock-jump", effects: ["steps-client-clock"] };
  for (const targets of [["client-0"], ["client-1", "client-12"], ["clients"]])
    expect(jump(...targets)).toEqual(ofClients);
  for (const targets of [["node-0"], ["client-0", "nodes"], ["masters"], []])
    expect(jump(...targets)).toEqual({ name: "clock-jump", effects: ["steps-clock"] });
});

test.each(["latency", "partition", "stall"])("%s does less where it hits no link between servers", (kind) => {
  const between = (...groups: readonly (readonly string[])[]) => classOf(kind, { between: groups });
  const ofClients = { name: kind, effects: ["holds-client-messages"] };
  for (const rest of [["masters"], ["nodes", "sentinels"], ["resource"], ["client-1"]]) {
    expect(between(["client-0"], rest)).toEqual(ofClients);
    expect(between(rest, ["client-0", "client-2"], ["clients"])).toEqual(ofClients);
  }
  const ofServers = { name: kind, effects: ["holds-messages"] };
  expect(between(["node-0"], ["node-1", "client-0"])).toEqual(ofServers);
  expect(between(["client-0", "node-0"], ["replicas"])).toEqual(ofServers);
  expect(between(["client-0"], ["node-0"], ["sentinels"])).toEqual(ofServers);
});

test("every class leads back to its kind, and no two kinds share one", () => {
  const classes = faults.flatMap(({ kind }) => classesOf(kind).map(({ name }) => [name, kind] as const));
  expect(new Set(classes.map(([name]) => name)).size).toBe(classes.length);
  for (const [name, kind] of classes) expect(kindOf(name)).toBe(kind);
});

test("a claim covers the faults that do nothing else than what it lists, in its order", () => {
  expect(faultsCoveredBy([])).toEqual([]);
  expect(faultsCoveredBy(["kills-client", "pauses-client"])).toEqual(["kill-client", "pause-client"]);
  expect(faultsCoveredBy(["kills-node", "loses-memory"])).toEqual(["kill-node", "restart-node"]);
  expect(faultsCoveredBy(["kills-node", "loses-disk"])).toEqual(["disk-loss"]);
  expect(faultsCoveredBy(["loses-memory"])).toEqual([]);
});

test("every class does something that claims can list", () => {
  for (const { kind } of faults) for (const { effects } of classesOf(kind)) expect(effects).not.toEqual([]);
});
