import type { Property } from "./verdict.ts";

/** The two sides of the dispute about Redlock, in the order in which they wrote. */
export const AUTHORS = ["kleppmann", "antirez"] as const;
export type Author = (typeof AUTHORS)[number];

/** Of a property in many runs: never violated, or violated in at least one of them. */
export type Frequency = "never" | "sometimes";

/** What was found of one property in the runs of one cell. */
export interface PropertyCount {
  readonly violated: number;
  /** Runs in which the history spoke of the property: only a write with a fencing token can be a stale one. */
  readonly judged: number;
  /** Absent where nobody predicts anything. */
  readonly expected?: Frequency;
}

/** One combination of an experiment's parameters, measured. */
export interface MeasuredCell {
  readonly row: string;
  readonly column: string;
  /** Where the column stands on the axis of a plot, if it is a number. */
  readonly x?: number;
  readonly runs: number;
  /** Runs that came into the situation that the cell is about; only these were judged. */
  readonly met: number;
  readonly counts: Readonly<Partial<Record<Property, PropertyCount>>>;
}

/** What an author's text leads one to expect, and whether it came out so. */
export interface MeasuredPrediction {
  readonly by: Author;
  readonly claim: string;
  readonly holds: boolean;
  /** Whether the prediction is one that should hold: some were withdrawn, or are the other author's to refute. */
  readonly expected: boolean;
}

/** An experiment with its numbers. */
export interface MeasuredExperiment {
  readonly id: string;
  readonly question: string;
  /** What either author's text leads one to expect, in our own words. */
  readonly says: Readonly<Record<Author, string>>;
  readonly rowAxis: string;
  readonly columnAxis: string;
  /** The properties counted, the one that decides first. */
  readonly properties: readonly Property[];
  readonly cells: readonly MeasuredCell[];
  readonly predictions: readonly MeasuredPrediction[];
  /** What the numbers say, in one sentence. */
  readonly verdict: string;
  /** What came out otherwise than expected, in words; nothing when all is as predicted. */
  readonly surprises: readonly string[];
}

/** The whole dispute with its numbers. Equal for equal seeds and numbers of runs. */
export interface MeasuredDebate {
  readonly seed: number;
  /** Of each cell. */
  readonly runs: number;
  readonly sources: Readonly<Record<Author, { readonly name: string; readonly link: string }>>;
  readonly experiments: readonly MeasuredExperiment[];
}

/** A count of a cell; of a property that was not counted, nothing. */
export function countOf({ counts }: MeasuredCell, property: Property): PropertyCount {
  return counts[property] ?? { violated: 0, judged: 0 };
}

/** Whether a count came out as expected. No run that could show it proves nothing, so it is not. */
export function isAsExpected({ violated, judged, expected }: PropertyCount): boolean {
  if (expected === undefined) return true;
  return judged > 0 && (expected === "sometimes") === violated > 0;
}

/** All counts of a property over some cells. */
export function totalOf(cells: readonly MeasuredCell[], property: Property): PropertyCount {
  return cells
    .map((cell) => countOf(cell, property))
    .reduce((sum, { violated, judged }) => ({ violated: sum.violated + violated, judged: sum.judged + judged }), {
      violated: 0,
      judged: 0,
    });
}
