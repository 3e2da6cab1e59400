import { expect, test } from "vitest";
import { faults } from "../../../faults/registry.ts";
import { debate } from "../../../workloads/debate.ts";
import { EXPERIMENT_IDS } from "../../../workloads/debate/experiment-ids.ts";
import type { ExperimentCell, Experiment } from "../../../workloads/debate/experiment.ts";
import { isAsExpected, type MeasuredCell } from "../../core/measurement.ts";
import { conclude } from "./measure-debate.ts";

const RUNS = 10;

/** The cell as if this many of its runs had violated the property. */
function measured(
  { row, column, x, expected }: ExperimentCell,
  { counts }: Experiment,
  violated: number,
): MeasuredCell {
  return {
    row,
    column,
    ...(x === undefined ? {} : { x }),
    runs: RUNS,
    met: RUNS,
    counts: Object.fromEntries(
      counts.map((property) => {
        const wanted = expected[property];
        return [property, { violated, judged: RUNS, ...(wanted === undefined ? {} : { expected: wanted }) }];
      }),
    ),
  };
}

/** All cells, each as it is expected to come out. */
function asExpected(experiment: Experiment): readonly MeasuredCell[] {
  return experiment.cells(faults).map((cell) => {
    const plain = measured(cell, experiment, 0);
    const counts = Object.entries(plain.counts).map(([property, count]) => [
      property,
      { ...count, violated: count.expected === "sometimes" ? RUNS : 0 },
    ]);
    return { ...plain, counts: Object.fromEntries(counts) as MeasuredCell["counts"] };
  });
}

test("the experiments have the names that the help gives", () => {
  expect(debate.map(({ id }) => id)).toEqual([...EXPERIMENT_IDS]);
});

test("no two cells of an experiment have the same name", () => {
  for (const experiment of debate) {
    const names = experiment.cells(faults).map(({ row, column }) => `${row}, ${column}`);
    expect(new Set(names).size, experiment.id).toBe(names.length);
  }
});

test("a cell's plans are the same for the same seed, and others for another", () => {
  for (const experiment of debate) {
    const [cell] = experiment.cells(faults);
    if (cell === undefined) throw new Error("an experiment has cells");
    const plans = (seed: number): string => JSON.stringify([...cell.plans(seed, 3)]);
    expect(plans(5), experiment.id).toBe(plans(5));
    expect(plans(5), experiment.id).not.toBe(plans(6));
  }
});

test.each(debate.filter(({ id }) => id !== "topologies"))(
  "$id: numbers as expected bear out all predictions, others are told",
  (experiment) => {
    expect(conclude(experiment, asExpected(experiment)).surprises).toEqual([]);
    const never = experiment.cells(faults).map((cell) => measured(cell, experiment, 0));
    const always = experiment.cells(faults).map((cell) => measured(cell, experiment, RUNS));
    expect(conclude(experiment, never).surprises).not.toEqual([]);
    expect(conclude(experiment, always).surprises).not.toEqual([]);
    // What the numbers say depends on the numbers.
    const verdicts = [asExpected(experiment), never, always].map((cells) => conclude(experiment, cells).verdict);
    expect(new Set(verdicts).size).toBe(3);
  },
);

test("topologies: Redlock is to break less often than a master with failover, and to break at all", () => {
  const experiment = debate.find(({ id }) => id === "topologies");
  if (experiment === undefined) throw new Error("there is no such experiment");
  const shares: Readonly<Record<string, number>> = {
    single: 5,
    sentinel: 4,
    "redlock, one hit": 1,
    "redlock, any hit": 3,
  };
  const cells = (of: typeof shares): readonly MeasuredCell[] =>
    experiment
      .cells(faults)
      .map((cell) =>
        measured(cell, experiment, cell.expected["lease-exclusion"] === undefined ? (of[cell.column] ?? 0) : 0),
      );
  expect(conclude(experiment, cells(shares)).surprises).toEqual([]);
  const refuted = conclude(experiment, cells({ ...shares, "redlock, one hit": 9 }));
  expect(refuted.surprises).toEqual([expect.stringMatching(/^antirez: .* does not hold$/)]);
});

test("what no run could show is not as expected", () => {
  expect(isAsExpected({ violated: 0, judged: 0, expected: "never" })).toBe(false);
  expect(isAsExpected({ violated: 0, judged: 1, expected: "never" })).toBe(true);
  expect(isAsExpected({ violated: 1, judged: 9, expected: "never" })).toBe(false);
  expect(isAsExpected({ violated: 0, judged: 9, expected: "sometimes" })).toBe(false);
  expect(isAsExpected({ violated: 1, judged: 9, expected: "sometimes" })).toBe(true);
  expect(isAsExpected({ violated: 0, judged: 0 })).toBe(true);
});
