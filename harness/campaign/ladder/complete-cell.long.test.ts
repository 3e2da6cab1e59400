// @module-tag long
import { expect, test } from "vitest";
import { expectSilence, freshStores } from "../testing/results.ts";
import { cellCommand } from "./cells.ts";
import { huntLadder, type LadderOptions } from "./hunt-ladder.ts";

const fresh = freshStores();
expectSilence();

test("a cell says how many schedules with one deviation it ran, and is complete if asked to be", async () => {
  const table: LadderOptions = { only: ["single"], topology: "single", faults: ["kill-client"], runs: 40 };
  const [none, few] = (await huntLadder(table, { store: fresh() })).found;
  const complete = await huntLadder({ ...table, complete: true }, { store: fresh() });
  const [, all] = complete.found;
  expect(none?.oneDeviation).toBeUndefined();
  if (few?.oneDeviation === undefined || all?.oneDeviation === undefined) throw new Error("a cell does not say it");
  expect(few.runs).toBe(40);
  expect(few.oneDeviation.run).toBeGreaterThan(0);
  expect(few.oneDeviation.run).toBeLessThan(40);
  expect(all.oneDeviation).toEqual({ run: few.oneDeviation.of, of: few.oneDeviation.of });
  expect(all.runs).toBeGreaterThan(all.oneDeviation.of);
  expect(cellCommand(all.cell, { backend: complete.backend, ...complete.search })).toContain(" --runs 40 --complete ");
});
