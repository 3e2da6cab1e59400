/** Properties that are violated by the same two grants name one cause. */
import { comparedCauses } from "./testing/two-causes.ts";
import { expect, it } from "vitest";
import { locks } from "../../lock-impl/registry.ts";

it.each([
  // A client also outlived its lease in the same run: mutual exclusion counted that as the same violation.
  ["read-from-replica", 1001],
  // The release that took the lock was answered after the write that overwrote another.
  ["quorum-of-two", 7001],
  // The fencing tokens are wrong too.
  ["fence-on-release", 7001],
] as const)("the two grants of a generated run of %s", { tags: "long" }, async (name, seed) => {
  const entry = locks.find((each) => each.name === name);
  if (entry === undefined) throw new Error(`there is no lock ${name}`);
  const { contradictions, pairs } = await comparedCauses(entry, seed, { plans: 20, broken: 4 });
  expect(contradictions).toEqual([]);
  expect(pairs).toBeGreaterThan(3);
});
