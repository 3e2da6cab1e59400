// @module-tag long
import { join } from "node:path";
import { expect, test } from "vitest";
import { readJournal } from "../campaign-journal.ts";
import { freshStores, HeardProgress } from "../testing/results.ts";
import { huntLadder, type LadderOptions } from "./hunt-ladder.ts";
import { ladderEntrySchema } from "./ladder-journal.ts";

const fresh = freshStores();

test("a table that is interrupted within a cell goes on there: nothing is searched twice, the result is the same", async () => {
  const table: LadderOptions = { only: ["single"], topology: "single", faults: ["reset"], runs: 120, threads: 1 };
  const whole = await huntLadder(table, { store: fresh() });
  const store = fresh();
  const stop = new AbortController();
  const progress = new HeardProgress();
  progress.onStep = (step) => {
    if (step.endsWith("50 runs so far")) stop.abort();
  };
  await huntLadder(table, { store, signal: stop.signal, progress });
  expect(progressOf(store)).toEqual([50]);

  const again = new HeardProgress();
  const resumed = await huntLadder({ ...table, resume: true }, { store, progress: again });
  expect(again.notes[0]).toBe("resumed: 0 of 2 cells were searched before, and 1 in part");
  expect(again.steps[0]).toMatch(/, 50 runs so far$/);
  expect(progressOf(store)).toEqual([50, 100, 50, 100]);
  expect(resumed.found).toEqual(whole.found);
});

/** The runs that a journal's parts of cells tell. */
function progressOf(store: string): readonly number[] {
  const { entries } = readJournal(join(store, "campaigns", "ladder.jsonl"), ladderEntrySchema);
  return entries.flatMap((entry) => ("searched" in entry ? [entry.searched.runs] : []));
}
