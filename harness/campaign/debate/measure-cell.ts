import type { ExperimentCell, Experiment } from "../../../workloads/debate/experiment.ts";
import type { MeasuredCell, PropertyCount } from "../../core/measurement.ts";
import { randomStream } from "../../core/random.ts";
import type { Property } from "../../core/verdict.ts";
import { allCheckers } from "../../check/checkers.ts";
import { runSimulated } from "../run-simulated.ts";

/** Runs the plans of a cell in simulation and counts the violations. The same seed gives the same numbers. */
export async function measureCell(
  experiment: Experiment,
  cell: ExperimentCell,
  { seed, runs }: { readonly seed: number; readonly runs: number },
): Promise<MeasuredCell> {
  const { id, counts, met } = experiment;
  const { row, column, x, expected } = cell;
  const checkers = allCheckers().filter(({ property }) => counts.includes(property));
  const found = new Map(counts.map((property) => [property, { violated: 0, judged: 0 }]));
  let situations = 0;
  for (const plan of cell.plans(seedOf(seed, `${id}: ${row}, ${column}`), runs)) {
    const { record } = await runSimulated(plan, { title: id, required: counts, checkers });
    if (!met(record.history)) continue;
    situations += 1;
    for (const [property, count] of found) {
      const outcome = record.verdict.properties[property]?.verdict;
      if (outcome === "invalid") count.violated += 1;
      if (outcome === "invalid" || outcome === "valid") count.judged += 1;
    }
  }
  const countOf = (property: Property): readonly [Property, PropertyCount] => {
    const wanted = expected[property];
    const { violated = 0, judged = 0 } = found.get(property) ?? {};
    return [property, { violated, judged, expected: wanted }];
  };
  return {
    row,
    column,
    x,
    runs,
    met: situations,
    counts: Object.fromEntries(counts.map(countOf)),
  };
}

/** A seed for one purpose, so that no two cells draw the same plans. */
function seedOf(seed: number, purpose: string): number {
  return randomStream(seed, purpose).integer(0, 0x7fff_ffff);
}
