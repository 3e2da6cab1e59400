import { expect, test } from "vitest";
import { faults } from "../../faults/registry.ts";
import { findLock } from "../../lock-impl/registry.ts";
import { plantedBugs } from "./planted-bugs.ts";

const hunted = plantedBugs.flatMap(({ name, bug, controls }) => [
  [name, bug] as const,
  ...controls.map((control) => [`${name}: ${control.name}`, control.hunted] as const),
]);

test("each bug has a control without faults and one under faults", () => {
  for (const { controls } of plantedBugs) {
    expect(controls.filter((control) => control.hunted.faults.length === 0)).toHaveLength(1);
    expect(controls.filter((control) => control.hunted.faults.length > 0)).toHaveLength(1);
  }
});

test.each(hunted)("%s: its lock runs on its topology and its faults exist", (_, { lock, topology, faults: kinds }) => {
  expect(findLock(lock)?.topologies).toContain(topology.kind);
  expect(faults.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...kinds]));
});
