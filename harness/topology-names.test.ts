import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { TOPOLOGIES } from "./core/topology.ts";
import { isTest } from "./testing/layer-rule.ts";
import { decisionsByTopology } from "./testing/named-kinds.ts";
import { readSources, type SourceFile } from "./testing/source-file.ts";

const KINDS: ReadonlySet<string> = new Set(TOPOLOGIES);

/**
 * Who may name topologies: they themselves, plans and experiments by hand, locks, which say where they run and ask what servers
 * they were told of, and Sentinel's own instances, whose kinds have such names too.
 */
const MAY_NAME = [
  "harness/core/topologies",
  "workloads/catalogue",
  "workloads/debate",
  "lock-impl",
  "harness/simulated/sentinel",
  // A Sentinel calls its peers by this flag.
  "harness/simulated/system/sentinel-control.ts",
  // Servers, two of which are called like their topology.
  "harness/containers/servers/data-servers.ts",
];

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readSources(
  root,
  ["harness", "faults", "reports", "workloads", "lock-impl", "packaging"],
  [".ts"],
).filter(({ path }) => !isTest(path) && !MAY_NAME.some((entry) => path === entry || path.startsWith(`${entry}/`)));

const file = (text: string): SourceFile => ({ path: "a.ts", text });

test("nobody decides by the name of a topology", () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(decisionsByTopology(sources, KINDS)).toEqual([]);
});

test.each([
  ["a comparison", 'if (topology.kind !== "sentinel") stop();'],
  ["a comparison from the other side", 'if ("redlock" === kind) stop();'],
  ["a case", 'switch (kind) { case "postgres": break; }'],
  ["a table", "const TRIES = { single: 1, sentinel: 6 };"],
  ["a list of one", 'if (["redlock"].includes(kind)) stop();'],
  ["a list", 'const ONE_MASTER = new Set(["single", "sentinel"]);'],
])("%s is caught", (_, text) => {
  expect(decisionsByTopology([file(text)], KINDS)).toEqual(["a.ts:1: decides by the name of a topology"]);
});

test.each([
  ["a plan", 'const plan = { topology: { kind: "single" } };'],
  ["a node's role", 'nodes.filter(({ role }) => role === "sentinel");'],
  ["what a driver was told of", 'if (servers.kind !== "single") throw new Error("one server only");'],
  ["a lock of the same name", 'const lock = flags.text("lock") ?? "single";'],
])("%s is not", (_, text) => {
  expect(decisionsByTopology([file(text)], KINDS)).toEqual([]);
});
