import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { faults } from "../faults/registry.ts";
import { isTest } from "./testing/layer-rule.ts";
import { namedFaults } from "./testing/named-kinds.ts";
import { readSources, type SourceFile } from "./testing/source-file.ts";

const KINDS: ReadonlySet<string> = new Set(faults.map(({ kind }) => kind));

/**
 * Who may name a fault: the faults themselves, those who write plans by hand, limits and lessons of locks, which say what
 * was found under which fault, what users copy, and the backends, whose network has verbs of these names.
 */
const MAY_NAME = [
  "faults",
  // Claims name none: their type has effects only.
  "lock-impl",
  "workloads/catalogue",
  "workloads/debate",
  "workloads/headline.ts",
  "harness/cli/templates",
  // Causes, some of which are called like a fault.
  "harness/core/verdict.ts",
  "harness/simulated",
  "harness/containers",
];

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readSources(root, ["harness", "reports", "workloads"], [".ts"]).filter(
  ({ path }) => !isTest(path) && !MAY_NAME.some((entry) => path === entry || path.startsWith(`${entry}/`)),
);

const file = (text: string): SourceFile => ({ path: "a.ts", text });

test("no checker, cause, report or command knows a fault by its name", () => {
  expect(sources.length).toBeGreaterThan(200);
  expect(namedFaults(sources, KINDS)).toEqual([]);
});

test.each([
  ["a comparison", 'fault.kind === "kill-node"'],
  ["a list", 'const PAUSES = ["pause-client"];'],
  ["a set", 'const kinds = new Set(["reset"]);'],
  ["an argument", 'during("partition");'],
  ["a case", 'switch (kind) { case "stall": }'],
  ["a property", 'const fault = { kind: "latency" };'],
  ["a table", 'const STOPS = { "kill-node": true };'],
  ["a table of names without hyphens", "const HOLDS = { partition: 1, stall: 2 };"],
  ["a template", "fault.kind === `kill-node`"],
  ["the beginning of names", 'fault.f.startsWith("kill-")'],
  ["the end of names", 'kind.endsWith("-node")'],
  ["a fault that is called like a cause", 'fault.f !== "clock-jump"'],
  ["a list of faults that are called like causes", 'during(["clock-jump", "clock-rate"], 0, 1);'],
])("%s is caught", (_, text) => {
  expect(namedFaults([file(text)], KINDS).length).toBeGreaterThan(0);
});

test.each([
  ["a cause", 'const hypothesis = { cause: "eviction" };'],
  ["a comparison of causes", 'violation.cause === "clock-jump"'],
  ["a word of a sentence", 'throw new Error("the partition is over");'],
  ["the name of a property", "connection.reset();"],
  ["a method", "const connection = { reset() {} };"],
  ["a table of causes", 'const WORDS = { "clock-jump": "a clock jumped", eviction: "memory was full" };'],
  ["the beginning of something else", 'word.startsWith("no-")'],
])("%s is not", (_, text) => {
  expect(namedFaults([file(text)], KINDS)).toEqual([]);
});
