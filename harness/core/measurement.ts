import type { Property } from "./verdict.ts";

/** The two sides of the dispute about Redlock, in the order in which they wrote. */
export const AUTHORS = ["kleppmann", "antirez"] as const;
export type Author = (typeof AUTHORS)[number];

/** Whether a property was never violated in many runs, or was violated in at least one of them. */
export type Frequency = "never" | "sometimes";

/** The count of one property's violations in the runs of one cell. */
export interface PropertyCount {
  readonly violated: number;
  /** Runs whose history tests the property: only a write with a fencing token can be stale. */
  readonly judged: number;
  /** Absent if nobody predicts anything. */
  readonly expected?: Frequency | undefined;
}

/** One combination of an experiment's parameters, measured. */
export interface MeasuredCell {
  readonly row: string;
  readonly column: string;
  /** The column's position on the axis of a plot, if it is a number. */
  readonly x?: number | undefined;
  readonly runs: number;
  /** Runs that reached the situation that the cell is about; only these were judged. */
  readonly met: number;
  readonly counts: Readonly<Partial<Record<Property, PropertyCount>>>;
}

/** What an author's text predicts, and whether it held. */
export interface MeasuredPrediction {
  readonly by: Author;
  readonly claim: string;
  readonly holds: boolean;
  /** Whether the prediction should hold: its author withdrew some, and the other author refutes some. */
  readonly expected: boolean;
}

/** An experiment with its numbers. */
export interface MeasuredExperiment {
  readonly id: string;
  readonly question: string;
  /** What each author's text predicts, in our own words. */
  readonly says: Readonly<Record<Author, string>>;
  readonly rowAxis: string;
  readonly columnAxis: string;
  /** The properties that are counted; the one that decides comes first. */
  readonly properties: readonly Property[];
  readonly cells: readonly MeasuredCell[];
  readonly predictions: readonly MeasuredPrediction[];
  /** What the numbers say, in one sentence. */
  readonly verdict: string;
  /** The counts that differ from the predictions, in words; empty if none does. */
  readonly surprises: readonly string[];
}

/** The whole dispute with its numbers. Equal for equal seeds and numbers of runs. */
export interface MeasuredDebate {
  readonly seed: number;
  /** Runs of each cell. */
  readonly runs: number;
  readonly sources: Readonly<Record<Author, { readonly name: string; readonly link: string }>>;
  readonly experiments: readonly MeasuredExperiment[];
}

/** A property's count in a cell; zero if the property was not counted. */
export function countOf({ counts }: MeasuredCell, property: Property): PropertyCount {
  return counts[property] ?? { violated: 0, judged: 0 };
}

/** Whether a count is as predicted. A count without a run that tests the property proves nothing, so it is not. */
export function isAsExpected({ violated, judged, expected }: PropertyCount): boolean {
  if (expected === undefined) return true;
  return judged > 0 && (expected === "sometimes") === violated > 0;
}

/** The sum of a property's counts over some cells. */
export function totalOf(cells: readonly MeasuredCell[], property: Property): PropertyCount {
  return cells
    .map((cell) => countOf(cell, property))
    .reduce((sum, { violated, judged }) => ({ violated: sum.violated + violated, judged: sum.judged + judged }), {
      violated: 0,
      judged: 0,
    });
}
