import { cleanup } from "../cleanup.ts";
import { extname } from "node:path";
import { faults } from "../../../faults/registry.ts";
import { SOURCES } from "../../../workloads/catalogue/sources.ts";
import { debate } from "../../../workloads/debate.ts";
import type { ExperimentId } from "../../../workloads/debate/experiment-ids.ts";
import type { Experiment } from "../../../workloads/debate/experiment.ts";
import { HarnessError } from "../../core/errors.ts";
import {
  countOf,
  isAsExpected,
  type MeasuredCell,
  type MeasuredDebate,
  type MeasuredExperiment,
  type MeasuredPrediction,
} from "../../core/measurement.ts";
import { completeEnvironment, type RunEnvironment } from "../run-environment.ts";
import { WorkerPool } from "../worker-pool.ts";
import type { DebateAnswer, CellTask } from "./worker.ts";

/** The program of the threads that measure. */
export const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

export interface DebateOptions {
  /** Which experiments. */
  readonly only: readonly ExperimentId[];
  readonly seed: number;
  /** Of each cell. */
  readonly runs: number;
}

/**
 * Measures experiments in simulation, their cells in parallel threads. The numbers depend only on the seed and the
 * number of runs. An experiment with cells left undone because of a signal is left out.
 */
export async function measureDebate(
  { only, seed, runs }: DebateOptions,
  environment: RunEnvironment = {},
): Promise<MeasuredDebate> {
  const { signal, progress } = completeEnvironment(environment);
  // Interrupted, it is given the time to tell what was measured, and what was not.
  cleanup.isDue = true;
  const experiments = debate.filter(({ id }) => only.includes(id));
  const tasks = experiments.flatMap((experiment) =>
    experiment.cells(faults).map(({ row, column }, cell) => ({
      title: `${experiment.id}: ${row}, ${column}`,
      experiment: experiment.id,
      cell,
      seed,
      runs,
    })),
  );
  const measured: (MeasuredCell | undefined)[] = tasks.map(() => undefined);
  await using workers = new WorkerPool<CellTask & { readonly title: string }, DebateAnswer>(WORKER);
  await workers.do(tasks, {
    signal,
    onStart: ({ experiment }, index) => {
      const tenths = Math.floor((10 * index) / tasks.length);
      progress.step(`measuring ${experiment} (${10 * tenths} % of ${tasks.length} cells done)`);
    },
    onAnswer: ({ title }, answer, index) => {
      if (!("cell" in answer)) throw new HarnessError(`${title}: ${"error" in answer ? answer.error : "no cell"}`);
      measured[index] = answer.cell;
    },
  });
  return {
    seed,
    runs,
    sources: { kleppmann: SOURCES.kleppmann, antirez: SOURCES.antirez },
    experiments: experiments.flatMap((experiment) => {
      const cells = measured.filter((_, index) => tasks[index]?.experiment === experiment.id);
      return cells.includes(undefined)
        ? []
        : [
            conclude(
              experiment,
              cells.filter((cell) => cell !== undefined),
            ),
          ];
    }),
  };
}

/** Compares the numbers of an experiment with the expected ones, and states the result. */
export function conclude(experiment: Experiment, cells: readonly MeasuredCell[]): MeasuredExperiment {
  const { id, question, says, rowAxis, columnAxis, counts } = experiment;
  const predictions = experiment.predictions.map(({ by, claim, holds, expected }): MeasuredPrediction => {
    return { by, claim, holds: holds(cells), expected };
  });
  const surprises = [
    ...cells.flatMap((cell) => surprisesOf(cell, experiment)),
    ...predictions
      .filter(({ holds, expected }) => holds !== expected)
      .map(({ by, claim, holds }) => `${by}: "${claim}" ${holds ? "holds" : "does not hold"}`),
  ];
  const verdict = experiment.conclude(cells);
  return { id, question, says, rowAxis, columnAxis, properties: counts, cells, predictions, verdict, surprises };
}

function surprisesOf(cell: MeasuredCell, { counts }: Experiment): readonly string[] {
  return counts.flatMap((property) => {
    const count = countOf(cell, property);
    if (isAsExpected(count)) return [];
    const { violated, judged, expected } = count;
    return [`${cell.row}, ${cell.column}: ${property} violated in ${violated} of ${judged} runs, expected ${expected}`];
  });
}
