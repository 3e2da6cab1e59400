// @module-tag long
// First: libraries store functions of the platform when they are loaded.
import { DETECTION_RUNS, searchLimit } from "../../harness/campaign/limit-search.ts";
import { planFileOf } from "./lock-documents.ts";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ladder } from "../../lock-impl/ladder/ladder.ts";
import { locks } from "../../lock-impl/registry.ts";
import { lacking } from "../../harness/core/sharing.ts";
import { readPlan } from "../../harness/run/store.ts";
import { requiredProperties } from "../../harness/campaign/required-properties.ts";
import { runSimulated } from "../../harness/campaign/run-simulated.ts";

const flawed = locks.filter((lock) => lock.flawed);
const sound = ladder.filter((lock) => !lock.flawed);

const planOf = (lock: (typeof locks)[number]) =>
  readPlan(fileURLToPath(new URL(`../../${planFileOf(lock)}`, import.meta.url)));

describe(`each flawed lock is caught within ${DETECTION_RUNS} plans`, () => {
  test.each(flawed.map((lock) => [lock.name, lock] as const))("%s", async (_, lock) => {
    const { shows } = lock.lesson;
    const { counterexample } = await searchLimit(lock, shows, { seed: 1, runs: DETECTION_RUNS, shrinkRuns: 0 });
    expect(counterexample?.run.verdict.verdict).toBe("invalid");
  });
});

describe("each sound lock survives the plans that catch the flawed ones", () => {
  test.each(sound.map((lock) => [lock.name, lock] as const))("%s", async (_, lock) => {
    const verdicts: string[] = [];
    for (const { name, plan } of flawed.map((other) => ({ name: other.name, plan: planOf(other) }))) {
      const mine = { ...plan, lock: lock.name };
      // What it promises is known for its topologies; reentry, permits and modes only to those that have them.
      const reenters = plan.clients.some(({ sections }) =>
        sections.some(({ steps }) => steps.some((step) => step.do === "reenter")),
      );
      const sections = plan.clients.flatMap(({ sections }) => sections);
      const isBeyond = sections.some((section) => lacking(lock.supports ?? {}, section) !== undefined);
      if (!lock.topologies.includes(plan.topology.kind) || (reenters && lock.reentrant !== true) || isBeyond) continue;
      const { record } = await runSimulated(mine, { title: name, required: requiredProperties(mine) });
      verdicts.push(`${name}: ${record.verdict.verdict}`);
    }
    expect(verdicts.filter((verdict) => verdict.endsWith("invalid"))).toEqual([]);
    expect(verdicts.some((verdict) => verdict.endsWith(": valid"))).toBe(true);
  });
});
