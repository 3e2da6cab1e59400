// @module-tag long
import { expect, test } from "vitest";
import { plansToRepeat } from "./testing/plans-to-repeat.ts";
import { hashesOf } from "./testing/trace-hashes.ts";

const RUNS = 50;

test.each(plansToRepeat())(`the same plan gives one hash in ${RUNS} runs: %s`, async (_, plan) => {
  expect(await hashesOf(plan, RUNS)).toHaveLength(1);
});
