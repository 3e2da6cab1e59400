// @module-tag long
import { expect, test, type TestContext } from "vitest";
import { InterruptedRunError, runSimulated } from "../run-simulated.ts";
import { type Cell, JUDGED, ladderCells, titleOf } from "./cells.ts";
import type { Plan } from "../../core/plan.ts";
import { robustPlan } from "./robust-plan.ts";

function cellOf(lock: string, fault: string): Cell {
  const [, cell] = ladderCells({ all: false, backend: "containers", only: [lock], faults: [fault] });
  if (cell?.fault?.kind !== fault) throw new Error(`there is no cell of ${lock} under ${fault}`);
  return cell;
}

/** Fewer plans than the search draws for real servers, so that a slow machine finishes in time too. */
const PLANS = 100;

/**
 * Searches with seed 1. A test that takes too long ends its search; otherwise its simulation would run during the next
 * test's.
 */
function search(cell: Cell, { signal, onTestFinished }: TestContext): Promise<Plan | undefined> {
  const found = robustPlan(cell, 1, { plans: PLANS, signal });
  onTestFinished(async () => void (await Promise.allSettled([found])));
  return found;
}

test("a plan for real servers breaks the lock with other networks too, and is slow enough for them", async (context) => {
  const cell = cellOf("redlock", "kill-node");
  const plan = await search(cell, context);
  if (plan === undefined) throw new Error("no plan breaks it");
  const leasesMs = plan.clients.flatMap(({ sections }) => sections.map(({ ttlMs }) => ttlMs));
  expect(Math.min(...leasesMs)).toBeGreaterThanOrEqual(1_000);
  const verdicts = new Map<string, number>();
  for (let seed = 100; seed < 110; seed += 1) {
    const { record } = await runSimulated({ ...plan, seed }, { title: titleOf(cell), required: JUDGED });
    const { verdict } = record.verdict;
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  }
  expect(verdicts.get("invalid")).toBeGreaterThanOrEqual(8);
});

test("there is none where the lock holds", async (context) => {
  expect(await search(cellOf("redlock-fsync", "reset"), context)).toBeUndefined();
});

test("the search ends with its signal, and leaves no simulation behind", async () => {
  const cell = cellOf("redlock", "kill-node");
  const stop = new AbortController();
  const found = robustPlan(cell, 1, { signal: stop.signal });
  setImmediate(() => stop.abort());
  await expect(found).rejects.toThrow(InterruptedRunError);
  expect(await robustPlan(cellOf("redlock-fsync", "reset"), 1, { plans: 1 })).toBeUndefined();
});
