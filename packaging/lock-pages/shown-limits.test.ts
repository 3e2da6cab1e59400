// First: libraries store functions of the platform when they are loaded.
import { runForLimit } from "../../harness/campaign/limit-search.ts";
import { planFileOf } from "./lock-documents.ts";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findLock } from "../../lock-impl/registry.ts";
import { readPlan } from "../../harness/run/store.ts";

test("a limit shows itself only by the cause that it names", async () => {
  const lock = findLock("single");
  if (lock === undefined) throw new Error("no lock single");
  const plan = readPlan(fileURLToPath(new URL(`../../${planFileOf(lock)}`, import.meta.url)));
  const { shows } = lock.lesson;
  expect((await runForLimit(lock, shows, plan)).verdict.verdict).toBe("invalid");
  const mistaken = { ...lock, limits: lock.limits.map((limit) => ({ ...limit, cause: "eviction" as const })) };
  const { verdict } = await runForLimit(mistaken, shows, plan);
  expect(verdict.verdict).toBe("unknown");
  expect(verdict.reasons).toContain("mutual-exclusion failed by another cause: overrun");
});
