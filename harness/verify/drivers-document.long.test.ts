// @module-tag long
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { conformDriver } from "../campaign/conform/conform-driver.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import { topologySchema } from "../core/topology.ts";
import { checkLock } from "./check-lock.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLE = /^```ts drivers=(?<topologies>\S+)\n\/\/ (?<name>\S+)\n(?<text>[\s\S]*?)^```$/gm;
const page = readFileSync(join(ROOT, "docs/drivers.md"), "utf8");

const examples = [...page.matchAll(EXAMPLE)].flatMap(({ groups }) =>
  (groups?.["topologies"] ?? "").split(",").map((topology) => ({
    topology: topology as TopologyKind,
    name: groups?.["name"] ?? "",
    text: groups?.["text"] ?? "",
  })),
);

// Within the project, so that the examples find its packages.
mkdirSync(join(ROOT, ".lockstorm"), { recursive: true });
const folder = mkdtempSync(join(ROOT, ".lockstorm", "drivers-page-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("the page has a lock of one's own, a library and a lock without leases", () => {
  expect(new Set(examples.map(({ name }) => name)).size).toBe(3);
});

test.each(examples)("$name of the page runs on $topology, and breaks nothing", async ({ name, text, topology }) => {
  const lock = join(folder, name);
  writeFileSync(lock, text);
  const store = join(folder, `${name}-${topology}`);
  const { counterexample, valid } = await checkLock({ lock, topology, runs: 40, store });
  expect(counterexample?.text).toBeUndefined();
  const { checks } = await conformDriver({ lock, topology: topologySchema.parse({ kind: topology }), seed: 1 });
  expect(checks.filter(({ outcome }) => outcome === "mistake")).toEqual([]);
  expect(valid).toBeGreaterThan(20);
});
