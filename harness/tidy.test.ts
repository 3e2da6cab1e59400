import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { conditionalSpreads } from "./testing/conditional-spreads.ts";
import { isTest, ROOMS } from "./testing/layer-rule.ts";
import { readSources, type SourceFile } from "./testing/source-file.ts";
import {
  barrels,
  foreignWords,
  keptOverRuns,
  laxTests,
  LONG_TAG,
  longFiles,
  mistaggedFiles,
  namelessFiles,
  unguardedContainerTests,
  unregistered,
} from "./testing/tidy-rules.ts";
import { repeatedTypeNames } from "./testing/type-names.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders = [...new Set(Object.keys(ROOMS).map((room) => room.split("/")[0] ?? room))];
const code = readSources(root, folders, [".ts"]);
const scripts = readSources(root, folders, [".js", ".lua", ".sh", ".c"]);
const texts = readSources(root, folders, [".md", ".json", ".yml", ".yaml", ".css", ".html", "Dockerfile"]);
const atRoot = readSources(root, ["."], [".ts", ".md", ".json"]).filter(
  ({ path }) => !path.includes("/") && path !== "package-lock.json",
);

const file = (path: string, text: string): SourceFile => ({ path, text });

describe("this project", () => {
  test("is read", () => {
    expect(code.length).toBeGreaterThan(150);
    expect(scripts.length).toBeGreaterThan(3);
    expect(texts.length).toBeGreaterThan(0);
    expect(atRoot.map(({ path }) => path)).toEqual(expect.arrayContaining(["vitest.config.ts", "package.json"]));
  });

  test.each([
    ["no file is too long", () => longFiles([...code, ...scripts])],
    ["every test is run", () => mistaggedFiles(code)],
    ["tests in containers are skipped without an engine", () => unguardedContainerTests(code)],
    ["no file is called utils", () => namelessFiles([...code, ...scripts])],
    ["no file only passes on what others export", () => barrels(code)],
    [
      "no test is left out or tried again",
      () => laxTests([...code, ...atRoot.filter(({ path }) => path.endsWith(".ts"))]),
    ],
    ["no name of a type means two things", () => repeatedTypeNames(code)],
    ["every fault and every scenario is registered", () => unregistered(code)],
    ["no lock remembers another run", () => keptOverRuns(code)],
    ["absent keys are undefined", () => conditionalSpreads(code.filter(({ path }) => !isTest(path)))],
    ["no word is foreign to it", () => foreignWords([...code, ...scripts, ...texts, ...atRoot])],
  ])("%s", (_, violations) => {
    expect(violations()).toEqual([]);
  });
});

describe("a key that is left out under a condition", () => {
  test.each([
    "const a = { ...(x === undefined ? {} : { x }) };",
    "const a = { ...(x ? { x } : {}) };",
    "const a = { ...(x !== undefined && { x }) };",
  ])("is caught: %s", (text) => {
    expect(conditionalSpreads([file("faults/a.ts", text)])).toEqual([
      "faults/a.ts:1: leaves a key out under a condition",
    ]);
  });

  test.each([
    "const a = { x, ...(y ? b : c) };",
    "const a = { ...(y ? { x: 1 } : { x: 2 }) };",
    "f(...(y ? [] : [x]));",
  ])("is not: %s", (text) => {
    expect(conditionalSpreads([file("faults/a.ts", text)])).toEqual([]);
  });

  test("may be one where what is made is exact, which is listed as long as it is so", () => {
    const path = "workloads/sharing.ts";
    expect(conditionalSpreads([file(path, "const a = { ...(x ? { x } : {}) };")])).toEqual([]);
    expect(conditionalSpreads([file(path, "")])).toEqual([
      "workloads/sharing.ts: has no conditional spread any more, and need not be listed",
    ]);
  });
});

test("a long file is caught", () => {
  const text = "const x = 1;\n";
  expect(longFiles([file("a.ts", text.repeat(400))])).toEqual([]);
  expect(longFiles([file("a.ts", text.repeat(401))])).toEqual(["a.ts: 401 lines, more than 400"]);
});

test("a long test without its tag is caught, and a tag in the text of another", () => {
  const long = ["faults/a.long.test.ts", "faults/a.long.containers.test.ts"];
  expect(mistaggedFiles(long.map((path) => file(path, `${LONG_TAG}\n`)))).toEqual([]);
  expect(mistaggedFiles(long.map((path) => file(path, "")))).toHaveLength(2);
  expect(mistaggedFiles([file("faults/a.test.ts", ""), file("faults/a.ts", LONG_TAG)])).toEqual([]);
  expect(mistaggedFiles([file("faults/a.test.ts", `f("${LONG_TAG}");`)])).toHaveLength(1);
});

test("a test in containers that fails without an engine is caught", () => {
  const path = "faults/a.containers.test.ts";
  expect(unguardedContainerTests([file(path, 'describeWithEngine("a", () => {});')])).toEqual([]);
  expect(unguardedContainerTests([file(path, 'describe("a", () => {});')])).toHaveLength(1);
  expect(unguardedContainerTests([file("faults/a.test.ts", "")])).toEqual([]);
});

describe("the name of a type", () => {
  const both = (one: string, other: string): string[] =>
    repeatedTypeNames([file(one, "export interface Lease {}"), file(other, "export class Lease {}")]);

  test("means one thing within a language, and what core says means it everywhere", () => {
    expect(both("harness/run/a.ts", "reports/b.ts")).toEqual(["Lease: harness/run/a.ts, reports/b.ts"]);
    expect(both("lock-impl/parts/a.ts", "lock-impl/flawed/b.ts")).toHaveLength(1);
    expect(both("lock-impl/parts/a.ts", "harness/core/b.ts")).toHaveLength(1);
    expect(both("harness/simulated/redis/a.ts", "harness/simulated/lua/b.ts")).toHaveLength(1);
  });

  test("may be another's where nobody reads both", () => {
    expect(both("harness/history/a.ts", "lock-impl/parts/b.ts")).toEqual([]);
    expect(both("harness/simulated/redis/a.ts", "lock-impl/parts/b.ts")).toEqual([]);
  });

  test("is free where it is not exported, and in tests", () => {
    const inner = [file("harness/run/a.ts", "interface Lease {}"), file("reports/b.ts", "export type Lease = 1;")];
    expect(repeatedTypeNames(inner)).toEqual([]);
    expect(both("harness/run/a.ts", "harness/run/testing/b.ts")).toEqual([]);
  });
});

test("utils are caught, as files and as folders", () => {
  const paths = ["harness/utils.ts", "harness/util/a.ts", "faults/utils/index.ts", "reports/Utils.test.ts"];
  expect(namelessFiles(paths.map((path) => file(path, "")))).toHaveLength(paths.length);
  expect(namelessFiles([file("harness/utility-bill.ts", ""), file("harness/reutils.ts", "")])).toEqual([]);
});

test("what a lock keeps from run to run is caught", () => {
  const kept = [
    "const held = new Map<string, { fence: number }>();",
    "export const held: Held = new Set();",
    "let count = 0;",
  ];
  expect(kept.flatMap((text) => keptOverRuns([file("lock-impl/a.ts", text)]))).toHaveLength(kept.length);
  const rightful = [
    "const held = new WeakMap<Connection, number>();",
    "const NAMES = new Set(['a']);",
    "  let count = 0;",
  ];
  expect(rightful.flatMap((text) => keptOverRuns([file("lock-impl/a.ts", text)]))).toEqual([]);
  expect(keptOverRuns([file("harness/a.ts", "let count = 0;"), file("lock-impl/a.test.ts", "let count = 0;")])).toEqual(
    [],
  );
});

describe("a barrel", () => {
  test.each([
    'export * from "./b.ts";',
    'export { b } from "./b.ts"; export type { C } from "./c.ts";',
    'export { b, c } from "./b.ts";',
    'import { b } from "./b.ts"; import { c } from "./c.ts"; export { b, c };',
  ])("is caught: %s", (text) => {
    expect(barrels([file("faults/a.ts", text)])).toHaveLength(1);
    expect(barrels([file("index.ts", text)])).toEqual([]);
  });

  test.each(['export { b } from "./b.ts"; export const c = 1;', 'import "./b.ts";', "const b = 1; export { b };", ""])(
    "is not what has something of its own: %s",
    (text) => {
      expect(barrels([file("faults/a.ts", text)])).toEqual([]);
    },
  );
});

describe("a lax test", () => {
  test.each([
    'test.only("x", () => {});',
    'describe.only("x", () => {});',
    'it.only.each([1])("x", () => {});',
    'test.concurrent.only("x", () => {});',
    'test.skip("x", () => {});',
    'describe.skip("x", () => {});',
    'test("x", { retry: 3 }, () => {});',
    'test.each([1])("x", { retry: 3 }, () => {});',
  ])("is caught: %s", (text) => {
    expect(laxTests([file("faults/a.test.ts", text)])).toHaveLength(1);
  });

  test("is caught in the configuration", () => {
    const text = "export default defineConfig({ test: { projects: [{ test: { retry: 2 } }] } });";
    expect(laxTests([file("vitest.config.ts", text)])).toHaveLength(1);
  });

  test.each([
    'describe.skipIf(!ready)("x", () => {});',
    'test("retry: 3, test.only", () => {});',
    "connect({ retry: 3 });",
    'test("x", () => connect({ retry: 3 }));',
    "stream.skip(3); only.test();",
  ])("is not: %s", (text) => {
    expect(laxTests([file("faults/a.test.ts", text)])).toEqual([]);
  });
});

describe("what no registry lists", () => {
  const registries = [
    file("faults/registry.ts", 'import { stall } from "./stall.ts";'),
    file("workloads/catalogue.ts", 'import { plainDel } from "./catalogue/plain-del.ts";'),
  ];
  const fault = "export const x = defineFault({});";
  const scenario = "export const x: Scenario = {};";

  test("is caught", () => {
    const files = [
      file("faults/stall.ts", fault),
      file("faults/flood.ts", fault),
      file("workloads/catalogue/plain-del.ts", scenario),
      file("workloads/catalogue/late.ts", scenario),
      file("faults/targets.ts", "export const x = 1;"),
      file("workloads/catalogue/sources.ts", "export const x = 1;"),
    ];
    expect(unregistered([...registries, ...files])).toEqual([
      "faults/flood.ts: is not in faults/registry.ts",
      "workloads/catalogue/late.ts: is not in workloads/catalogue.ts",
    ]);
  });

  test("is everything when there is no registry", () => {
    expect(unregistered([file("faults/stall.ts", fault)])).toHaveLength(1);
  });
});

describe("a foreign word", () => {
  // In pieces, because this file is read too.
  const words = [
    ["ag", "ents"],
    ["Ag", "ent"],
    ["/wo", "rk/"],
    ["../sha", "red"],
  ].map((pieces) => pieces.join(""));

  test("is caught, with its line", () => {
    const text = words.map((word) => `by ${word}: x\nfor nobody\n`).join("");
    expect(foreignWords([file("faults/a.ts", text)])).toEqual(
      words.map((word, index) => `faults/a.ts:${2 * index + 1}: says "${word}"`),
    );
  });

  test("is none that only looks like it", () => {
    expect(foreignWords([file("a.md", "a shared workload, an agentless network, ./shared/workers/")])).toEqual([]);
  });
});
