// @module-tag long
/** Properties that are violated by the same two grants name one cause, over generated runs of all flawed locks. */
import { comparedCauses } from "./testing/two-causes.ts";
import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { locks } from "../../lock-impl/registry.ts";

const SEED = Number(process.env["LOCKSTORM_SEED"] ?? randomInt(1_000_000_000));

const flawed = locks.filter((lock) => lock.flawed);

it.each(flawed.map((lock) => [lock.name, lock] as const))(`%s, from seed ${SEED} on`, async (_, lock) => {
  const { contradictions } = await comparedCauses(lock, SEED, { plans: 20, broken: 3 });
  expect(contradictions).toEqual([]);
});
