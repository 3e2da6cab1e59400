import { expect, test } from "vitest";
import { runSimulated } from "../run-simulated.ts";
import { type Cell, ladderCells, titleOf } from "./cells.ts";
import { robustPlan } from "./robust-plan.ts";

function cellOf(lock: string, fault: string): Cell {
  const [, cell] = ladderCells({ all: false, backend: "containers", only: [lock], faults: [fault] });
  if (cell?.fault?.kind !== fault) throw new Error(`there is no cell of ${lock} under ${fault}`);
  return cell;
}

test("a plan for real servers breaks the lock with other networks too, and is slow enough for them", async () => {
  const cell = cellOf("redlock", "kill-node");
  const plan = await robustPlan(cell, 1);
  if (plan === undefined) throw new Error("no plan breaks it");
  const leasesMs = plan.clients.flatMap(({ sections }) => sections.map(({ ttlMs }) => ttlMs));
  expect(Math.min(...leasesMs)).toBeGreaterThanOrEqual(1_000);
  const verdicts = new Map<string, number>();
  for (let seed = 100; seed < 110; seed += 1) {
    const { record } = await runSimulated({ ...plan, seed }, { title: titleOf(cell), required: cell.promised });
    const { verdict } = record.verdict;
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  }
  expect(verdicts.get("invalid")).toBeGreaterThanOrEqual(8);
});

test("there is none where the lock holds", async () => {
  expect(await robustPlan(cellOf("redlock-fsync", "reset"), 1)).toBeUndefined();
});
