import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { importsOf, readSources } from "../testing/source-file.ts";
import { benchmarks } from "./registry.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the registry", () => {
  test("has every benchmark there is", () => {
    const files = globSync("{harness,lock-impl,workloads,faults,reports}/**/*.bench.ts", { cwd: root });
    const [registry] = readSources(root, ["harness/bench"], [".ts"]).filter(({ path }) => path.endsWith("registry.ts"));
    const loaded = (registry === undefined ? [] : importsOf(registry)).filter(({ specifier }) =>
      specifier?.endsWith(".bench.ts"),
    );
    expect(files.length).toBeGreaterThan(5);
    expect(loaded).toHaveLength(files.length);
    expect(benchmarks).toHaveLength(files.length);
  });

  test("names each of them differently", () => {
    expect(new Set(benchmarks.map(({ name }) => name)).size).toBe(benchmarks.length);
  });

  test("runs the three that need nothing when none is named", () => {
    const usual = benchmarks.filter((entry) => entry.usual === true);
    expect(usual.map(({ name }) => name)).toEqual(["plans", "search", "memory"]);
    expect(usual.some((entry) => entry.needsEngine === true)).toBe(false);
  });
});
