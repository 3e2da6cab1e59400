// @module-tag long
import { expect, test } from "vitest";
import { specimens } from "../../../lock-impl/flawed/specimens.ts";
import { locks } from "../../../lock-impl/registry.ts";
import { isSimulated, topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";

/** The locks that are flawed on purpose, or lack what the checklist asks for, as their pages say. */
const LACKING = new Set([
  ...specimens.map(({ name }) => name),
  "setnx",
  "set-px",
  "owner-value-fixed",
  "reentrant-naive",
  // Measures the leases of all holders by that of who asks.
  "redis-semaphore-permits",
]);

const drivers = locks
  .filter(({ name }) => !LACKING.has(name))
  .flatMap(({ name, topologies }) => topologies.filter(isSimulated).map((kind) => ({ name, kind })));

test("there are many", () => {
  expect(drivers.length).toBeGreaterThan(15);
});

test.each(drivers)("$name on $kind has no mistake", async ({ name, kind }) => {
  const { checks } = await conformDriver({ lock: name, topology: topologySchema.parse({ kind }), seed: 5 });
  expect(checks.filter(({ outcome }) => outcome === "mistake")).toEqual([]);
});
