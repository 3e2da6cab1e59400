import type { Fault } from "../../harness/core/fault.ts";
import type { History } from "../../harness/history/history.ts";
import type { Author, Frequency, MeasuredCell } from "../../harness/core/measurement.ts";
import { PLAN_FORMAT, PLAN_VERSION, type Plan, type PlanInput, planSchema } from "../../harness/core/plan.ts";
import { type Random, randomStream } from "../../harness/core/random.ts";
import type { Property } from "../../harness/core/verdict.ts";
import type { ExperimentId } from "./experiment-ids.ts";

/** One point of the debate as an experiment: data, and pure functions of its parameters and its numbers. */
export interface Experiment {
  /** Its public name: `pause`. */
  readonly id: ExperimentId;
  readonly question: string;
  /** What each author's text predicts, in our own words. */
  readonly says: Readonly<Record<Author, string>>;
  readonly rowAxis: string;
  readonly columnAxis: string;
  /** The properties that are counted; the one that decides comes first. */
  readonly counts: readonly Property[];
  /** All combinations of its parameters, the same in every process. @param faults those that generated plans may use */
  readonly cells: (faults: readonly Fault[]) => readonly ExperimentCell[];
  /** Whether a run reached the situation that is to be judged. */
  readonly met: (history: History) => boolean;
  readonly predictions: readonly Prediction[];
  /** The conclusion from the numbers, in one sentence. */
  readonly conclude: (cells: readonly MeasuredCell[]) => string;
}

/** One combination of parameters. */
export interface ExperimentCell {
  readonly row: string;
  readonly column: string;
  /** The column as a number, where it is one. */
  readonly x?: number;
  readonly expected: Readonly<Partial<Record<Property, Frequency>>>;
  /** Plans to run: the same for the same seed. */
  readonly plans: (seed: number, runs: number) => Iterable<Plan>;
}

/** What an author's text predicts of the numbers. */
interface Prediction {
  readonly by: Author;
  readonly claim: string;
  readonly holds: (cells: readonly MeasuredCell[]) => boolean;
  /** False for a prediction that its author has withdrawn, or that the other refutes. */
  readonly expected: boolean;
}

/** A plan without the fields that all plans share. */
export type DrawnPlan = Omit<PlanInput, "format" | "version" | "seed">;

/** Plans that are drawn one by one, each from a stream of its own. */
export function drawn(draw: (random: Random) => DrawnPlan): ExperimentCell["plans"] {
  return function* plans(seed, runs) {
    for (let run = 0; run < runs; run += 1) {
      const random = randomStream(seed, `run:${run}`);
      yield planSchema.parse({
        format: PLAN_FORMAT,
        version: PLAN_VERSION,
        seed: random.integer(0, 0x7fff_ffff),
        ...draw(random),
      });
    }
  };
}

/** All pairs, the first's order before the second's. */
export function pairs<A, B>(first: readonly A[], second: readonly B[]): readonly (readonly [A, B])[] {
  return first.flatMap((a) => second.map((b) => [a, b] as const));
}
