import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { joinedTimes, readElapsed, sumOf, WorkTimes } from "./work-times.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstorm-times-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("the parts of a piece of work are added up, before and after it is resumed, a torn line left out", () => {
  const journal = join(folder, "hunt.jsonl");
  {
    using times = new WorkTimes(journal, true);
    times.add(0, 10.04);
    times.add(1, 5);
  }
  appendFileSync(join(folder, "hunt.times"), '{"work":7,"ela');
  appendFileSync(join(folder, "hunt.times"), "\n");
  {
    using times = new WorkTimes(journal, false);
    times.add(1, 20);
    expect([...times.elapsed]).toEqual([...readElapsed(journal)]);
  }
  const elapsed = readElapsed(journal);
  expect([...elapsed]).toEqual([
    [0, 10],
    [1, 25],
  ]);
  expect(sumOf(elapsed, [0, 1, 2])).toBe(35);
  expect(sumOf(elapsed, [2])).toBeUndefined();
  expect(sumOf(elapsed)).toBe(35);
  expect([...joinedTimes([elapsed, new Map([[1, 5]]), new Map([[3, 1]])])]).toEqual([
    [0, 10],
    [1, 30],
    [3, 1],
  ]);
});

test("another campaign begins without them, and one without times has none", () => {
  const journal = join(folder, "ladder.jsonl");
  using first = new WorkTimes(journal, true);
  first.add(3, 1);
  using second = new WorkTimes(journal, true);
  expect(readElapsed(journal).size).toBe(0);
  second.add(4, 2);
  // The first one may still be at work.
  first.add(3, 5);
  expect([[...first.elapsed], [...second.elapsed]]).toEqual([[[3, 6]], [[4, 2]]]);
  expect(readElapsed(join(folder, "none.jsonl")).size).toBe(0);
});
