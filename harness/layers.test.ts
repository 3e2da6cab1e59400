import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { importCircles } from "./testing/import-circles.ts";
import {
  crowdedFolders,
  cliImportViolations,
  exitViolations,
  isTest,
  layerViolations,
  ROOMS,
} from "./testing/layer-rule.ts";
import { importsOf, readSources, type SourceFile } from "./testing/source-file.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readSources(root, [...new Set(Object.keys(ROOMS).map((room) => room.split("/")[0] ?? room))], [".ts"]);
const product = sources.filter(({ path }) => !isTest(path));

const file = (path: string, text: string): SourceFile => ({ path, text });

describe("this project", () => {
  test("is read, every room of it", () => {
    expect(sources.length).toBeGreaterThan(150);
    const withoutCode = ["docker"];
    for (const room of Object.keys(ROOMS).filter((room) => !withoutCode.includes(room))) {
      expect(sources.filter(({ path }) => path.startsWith(`${room}/`) && !isTest(path)).length).toBeGreaterThan(3);
    }
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(500);
    expect(sources.map(({ path }) => path)).toContain("harness/layers.test.ts");
  });

  test("keeps to the layer rule", () => {
    expect(layerViolations(sources)).toEqual([]);
  });

  test("has no circle of imports", () => {
    expect(importCircles(product)).toEqual([]);
  });

  test("has rooms and no heaps", () => {
    expect(crowdedFolders(sources)).toEqual([]);
  });

  test("has nobody but the command line itself import the command line", () => {
    const outside = readSources(root, ["packaging"], [".ts"]);
    const atTop = ["index.ts", "vitest.config.ts"].map((path) => ({
      path,
      text: readFileSync(join(root, path), "utf8"),
    }));
    expect(cliImportViolations([...sources, ...outside, ...atTop])).toEqual([]);
  });

  test("ends its process only where it may", () => {
    expect(exitViolations(sources)).toEqual([]);
  });
});

describe("the layer rule", () => {
  test.each([
    ["a static import", 'import { x } from "../run/store.ts";'],
    ["an import for its effect", 'import "../run/store.ts";'],
    ["an import of types", 'import type { X } from "../run/store.ts";'],
    ["an import of a type among values", 'import { type X } from "../run/store.ts";'],
    ["a type written as an import", 'type X = import("../run/store.ts").X;'],
    ["a dynamic import", 'const x = await import("../run/store.ts");'],
    ["a dynamic import deep inside", 'export class A { b() { return () => [import("../run/store.ts")]; } }'],
    ["an export of what another exports", 'export { x } from "../run/store.ts";'],
    ["an export of all that another exports", 'export * from "../run/store.ts";'],
    ["an export of types", 'export type { X } from "../run/store.ts";'],
    ["an import by assignment", 'import x = require("../run/store.ts");'],
    ["a require", 'const x = require("../run/store.ts");'],
  ])("catches %s", (_, text) => {
    expect(layerViolations([file("harness/core/plan.ts", `\n${text}`)])).toEqual([
      "harness/core/plan.ts:2: harness/core may not import harness/run/store.ts",
    ]);
  });

  test.each([
    ["harness/core/a.ts", "../check/check.ts"],
    ["harness/core/a.ts", "../../lock-impl/registry.ts"],
    ["harness/check/a.ts", "../run/store.ts"],
    ["harness/check/deep/a.ts", "../../run/store.ts"],
    ["harness/run/a.ts", "../../lock-impl/registry.ts"],
    ["harness/run/a.ts", "../containers/engine.ts"],
    ["harness/run/a.ts", "../../reports/text.ts"],
    ["harness/client/a.ts", "../containers/links.ts"],
    ["harness/simulated/a.ts", "../../lock-impl/registry.ts"],
    ["harness/simulated/a.ts", "../run/recorder.ts"],
    ["harness/containers/a.ts", "../client/worker.ts"],
    ["harness/containers/a.ts", "../../lock-impl/registry.ts"],
    ["lock-impl/a.ts", "../harness/run/store.ts"],
    ["workloads/a.ts", "../faults/registry.ts"],
    ["workloads/catalogue/a.ts", "../../harness/run/store.ts"],
    ["faults/a.ts", "../harness/run/nemesis.ts"],
    ["reports/a.ts", "../harness/run/store.ts"],
    ["reports/html/a.ts", "../../harness/cli/main.ts"],
  ])("keeps %s from %s", (path, specifier) => {
    expect(layerViolations([file(path, `import "${specifier}";`)])).toHaveLength(1);
  });

  test.each([
    ["harness/check/a.ts", "../core/plan.ts"],
    ["harness/run/a.ts", "../../faults/registry.ts"],
    ["harness/client/a.ts", "../../lock-impl/registry.ts"],
    ["harness/simulated/kernel/a.ts", "../../core/lock-driver.ts"],
    ["harness/simulated/a.ts", "../client/client-program.ts"],
    ["harness/containers/a.ts", "../../docker/images.json"],
    ["harness/cli/a.ts", "../containers/engine.ts"],
    ["lock-impl/ladder/a.ts", "../parts/compose.ts"],
    ["reports/html/a.ts", "../../harness/check/check.ts"],
    ["faults/a.ts", "node:fs"],
    ["faults/a.ts", "fast-check"],
    ["faults/a.test.ts", "../harness/run/testing/fake-system.ts"],
    ["harness/core/testing/a.ts", "../../run/store.ts"],
    ["harness/bench/a.ts", "../../lock-impl/registry.ts"],
    ["lock-impl/a.bench.ts", "../harness/bench/table.ts"],
  ])("lets %s import %s", (path, specifier) => {
    expect(layerViolations([file(path, `import "${specifier}";`)])).toEqual([]);
  });

  test("keeps the product from its tests", () => {
    for (const specifier of [
      "./testing/fake-system.ts",
      "./nemesis.test.ts",
      "./testdata/example.ts",
      "../bench/table.ts",
    ]) {
      expect(layerViolations([file("harness/run/a.ts", `import "${specifier}";`)])).toHaveLength(1);
      expect(layerViolations([file("harness/cli/a.ts", `import "../run/${specifier}";`)])).toHaveLength(1);
    }
  });

  test("knows every room, and that a name that begins alike is another", () => {
    expect(layerViolations([file("harness/other/a.ts", "")])).toHaveLength(1);
    expect(layerViolations([file("harness/core-two/a.ts", "")])).toHaveLength(1);
    expect(layerViolations([file("harness/check/a.ts", 'import "../core-two/a.ts";')])).toHaveLength(1);
  });

  test("lets only the loader of drivers import what no reader can name", () => {
    const text = "const x = await import(path);";
    expect(layerViolations([file("harness/client/load-driver.ts", text)])).toEqual([]);
    expect(layerViolations([file("harness/client/worker.ts", text)])).toHaveLength(1);
    expect(layerViolations([file("harness/cli/main.ts", text)])).toHaveLength(1);
  });

  test("fails on what it cannot parse", () => {
    expect(() => layerViolations([file("faults/a.ts", "import from from from")])).toThrow("faults/a.ts");
  });
});

describe("circles of imports", () => {
  const two = (there: string, back: string): SourceFile[] => [
    file("faults/a.ts", there),
    file("faults/b.ts", back),
    file("faults/c.ts", 'import "./a.ts"; import "node:fs";'),
  ];

  test.each([
    ["values", 'import { b } from "./b.ts";'],
    ["effects", 'import "./b.ts";'],
    ["what is passed on", 'export { b } from "./b.ts";'],
    ["types that leave an empty import behind", 'import { type B } from "./b.ts";'],
  ])("of %s are caught", (_, there) => {
    expect(importCircles(two(there, 'import { a } from "./a.ts";'))).toEqual([
      "faults/a.ts, faults/b.ts: import each other when they are loaded",
    ]);
  });

  test.each([
    ["types", 'import type { B } from "./b.ts";'],
    ["types that are passed on", 'export type { B } from "./b.ts";'],
    ["types written as imports", 'export type B = import("./b.ts").B;'],
    ["what is loaded later", 'export const b = () => import("./b.ts");'],
  ])("of %s are none", (_, there) => {
    expect(importCircles(two(there, 'import { a } from "./a.ts";'))).toEqual([]);
  });

  test("are found however long they are, and each alone", () => {
    const ring = (name: string): SourceFile[] =>
      [1, 2, 3].map((at) => file(`faults/${name}${at}.ts`, `import "./${name}${(at % 3) + 1}.ts";`));
    const found = importCircles([...ring("a"), ...ring("b"), file("faults/self.ts", 'import "./self.ts";')]);
    expect(found.map((line) => line.split(":")[0])).toEqual([
      "faults/a1.ts, faults/a2.ts, faults/a3.ts",
      "faults/b1.ts, faults/b2.ts, faults/b3.ts",
      "faults/self.ts",
    ]);
  });
});

describe("the size of a folder", () => {
  const folder = (name: string, count: number, ending = ".ts"): SourceFile[] =>
    Array.from({ length: count }, (_, at) => file(`${name}/f${at}${ending}`, ""));

  test("is at most 25 files, without those of its folders and its tests", () => {
    expect(crowdedFolders(folder("harness/run", 25))).toEqual([]);
    expect(crowdedFolders(folder("harness/run", 26))).toEqual(["harness/run: 26 files, more than 25"]);
    const more = [...folder("harness/run/deep", 20), ...folder("harness/run", 30, ".test.ts")];
    expect(crowdedFolders([...folder("harness/run", 25), ...more])).toEqual([]);
  });

  test("is free where it is a list of things of one kind", () => {
    expect(crowdedFolders(folder("workloads/catalogue", 60))).toEqual([]);
    expect(crowdedFolders(folder("workloads/catalogues", 60))).toHaveLength(1);
  });
});

describe("an import of the command line", () => {
  test.each([
    ["harness/campaign/a.ts", "../cli/command.ts"],
    ["harness/verify/a.ts", "../cli/command.ts"],
    ["harness/campaign/a.test.ts", "../cli/testing/run-cli.ts"],
    ["harness/bench/a.bench.ts", "../cli/command.ts"],
    ["packaging/a.ts", "../harness/cli/command.ts"],
    ["index.ts", "./harness/cli/config.ts"],
  ])("is caught in %s", (path, specifier) => {
    expect(cliImportViolations([file(path, `import type { X } from "${specifier}";`)])).toHaveLength(1);
  });

  test("is its own", () => {
    expect(cliImportViolations([file("harness/cli/commands/a.ts", 'import "../command.ts";')])).toEqual([]);
    expect(cliImportViolations([file("harness/verify/a.ts", 'import "../clients/a.ts"; import "node:fs";')])).toEqual(
      [],
    );
  });
});

describe("the end of a process", () => {
  test.each([
    "process.exit(1);",
    "const f = () => process.exit();",
    "process?.exit(1);",
    'import { exit } from "node:process";',
  ])("%s is caught", (text) => {
    expect(exitViolations([file("harness/run/a.ts", text)])).toHaveLength(1);
    expect(exitViolations([file("harness/containers/cleanup/watchdog.ts", text)])).toHaveLength(1);
    const free = ["harness/cli/main.ts", "harness/client/worker.ts", "harness/containers/cleanup/watchdog-process.ts"];
    expect(exitViolations([...free, "harness/run/a.test.ts"].map((path) => file(path, text)))).toEqual([]);
  });

  test("words about it are not", () => {
    const text = 'const exit = { exit() {} }; exit.exit(); // process.exit()\nthrow new Error("process.exit(1)");';
    expect(exitViolations([file("harness/run/a.ts", text)])).toEqual([]);
  });
});
