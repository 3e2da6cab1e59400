import fc from "fast-check";
import { expect, test } from "vitest";
import { exploreLengths, type LengthOutcome } from "./lengths.ts";

const MOST_MS = 1000;

/**
 * A run in which some events have their times, and others follow the end of the deviation: its class is the order of all
 * of them.
 */
function outcomeOf(fixedMs: readonly number[], followingMs: readonly number[]) {
  return (lengthMs: number): Promise<LengthOutcome> => {
    const events = [
      ...fixedMs.map((atMs, index) => ({ atMs, name: `fixed ${index}` })),
      ...followingMs.map((afterMs, index) => ({ atMs: lengthMs + afterMs, name: `following ${index}` })),
    ].toSorted((one, other) => one.atMs - other.atMs);
    return Promise.resolve({
      class: events.map(({ name }) => name).join(),
      deadlinesMs: events.map(({ atMs }) => atMs),
    });
  };
}

const times = fc
  .uniqueArray(fc.integer({ min: 1, max: 24 }), { maxLength: 4 })
  .map((steps) => steps.map((step) => step * 40));

test("one length on each side of each deadline finds every class that all lengths find", async () => {
  await fc.assert(
    fc.asyncProperty(times, times, async (fixedMs, followingMs) => {
      // Following events lie between the grid of the fixed ones: no two deadlines are closer than the resolution.
      const run = outcomeOf(
        fixedMs,
        followingMs.map((ms) => ms + 20),
      );
      const all = await exploreLengths(run, { mostMs: MOST_MS, resolutionMs: 7, regions: false });
      const few = await exploreLengths(run, { mostMs: MOST_MS, resolutionMs: 7, regions: true });
      const classes = (found: typeof all): Set<string> => new Set(found.outcomes.map(([, outcome]) => outcome.class));
      expect([...classes(all).difference(classes(few))]).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("it takes far fewer runs, and gives them shortest first", async () => {
  const run = outcomeOf([100, 300, 600], [20]);
  const all = await exploreLengths(run, { mostMs: MOST_MS, resolutionMs: 5, regions: false });
  const few = await exploreLengths(run, { mostMs: MOST_MS, resolutionMs: 5, regions: true });
  expect(all.outcomes).toHaveLength(200);
  expect(few.outcomes.length).toBeLessThan(45);
  const lengths = few.outcomes.map(([lengthMs]) => lengthMs);
  expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
  expect(lengths.at(-1)).toBe(MOST_MS);
});

test("where nothing happens, two lengths are enough", async () => {
  const { outcomes } = await exploreLengths(outcomeOf([], []), { mostMs: MOST_MS, resolutionMs: 5, regions: true });
  expect(outcomes.map(([lengthMs]) => lengthMs)).toEqual([1.25, MOST_MS]);
});

test.each([true, false])(
  "runs no length more than it may, and says that some are missing (regions: %s)",
  async (regions) => {
    const scope = { mostMs: MOST_MS, resolutionMs: 5, regions };
    const whole = await exploreLengths(outcomeOf([100, 300, 600], [20]), scope);
    expect(whole.whole).toBe(true);
    let left = 7;
    const part = await exploreLengths(outcomeOf([100, 300, 600], [20]), { ...scope, mayRun: () => (left -= 1) >= 0 });
    expect(part.whole).toBe(false);
    expect(part.outcomes).toHaveLength(7);
    expect(whole.outcomes).toEqual(expect.arrayContaining([...part.outcomes]));
  },
);
