import { z } from "zod";
import { boundWords } from "./bound-words.ts";
import { type Exploration, explorationSchema } from "./exploration.ts";
import { count } from "../wording.ts";
import { type ResidualRisk, residualRiskSchema } from "../../harness/core/statistics/residual-risk.ts";
import { NOTE_KINDS } from "../../harness/core/run-note.ts";
import { PROPERTIES } from "../../harness/core/verdict.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";

const cellSchema = z.object({
  lock: z.string(),
  topology: z.string().exactOptional().describe("of a hunt; a table names it in the lock where the lock has several"),
  fault: z.string().describe("a kind, a combination as `partition + clock-jump`, or `none` for runs without one"),
  expected: z
    .enum(["holds", "outlived", "broken"])
    .exactOptional()
    .describe("absent where no expectation is declared; `outlived`: a client may outlive its lease"),
  found: z
    .enum(["holds", "outlived", "broken", "simulated", "unknown"])
    .describe(
      "`outlived`: the lock kept its promise, but a client outlived its lease; `simulated`: broken in simulation, and real servers did not show it with the same plan",
    ),
  runs: z.int().nonnegative().exactOptional().describe("number of runs of this cell"),
  valid: z.int().nonnegative().exactOptional().describe("number of these runs with the verdict valid"),
  invalid: z
    .int()
    .nonnegative()
    .exactOptional()
    .describe("of an exploration: number of these runs with the verdict invalid"),
  unpromised: z
    .int()
    .nonnegative()
    .exactOptional()
    .describe("of a hunt: number of these runs in which the lock claims no property under the plan's faults"),
  oneDeviation: z
    .object({
      run: z.int().nonnegative().describe("how many of them were run"),
      of: z.int().positive().describe("how many there are"),
    })
    .exactOptional()
    .describe(
      "schedules with one fault of this kind: at each moment of the small workloads of a search, with each of its parameters, for lengths on either side of each deadline. If all were run, the cell is complete to one deviation",
    ),
  elapsedMs: z
    .number()
    .nonnegative()
    .exactOptional()
    .describe("how long its runs took in real time, shrinking too; of shards the sum. In no file of results"),
  held: z
    .array(z.object({ property: z.enum(PROPERTIES), runs: z.int().positive() }))
    .readonly()
    .exactOptional()
    .describe("of a hunt: in how many runs each property that decides was valid"),
  note: z.string().exactOptional().describe("one line about the cell: the cause, or why it is unknown"),
  run: z.int().nonnegative().exactOptional().describe("index of the report's run that shows it, from 0"),
  command: z.string().exactOptional().describe("the command that searches this cell again, with the same plans"),
});

export const noteSchema = z.object({
  kind: z
    .enum(NOTE_KINDS)
    .describe(
      "`crashed`, `flooded`: the lock ended its client, or sent so much that the run was stopped; `undecided`: why runs are unknown; `not-claimed`, `not-promisable`, `not-asked`: violations that do not change the verdict; `outlived`: a client outlived its lease; `slow`: although no fault held it up, a lock that nobody held was refused or granted late, or an operation took long; `nothing-promised`: no property was guaranteed; `untested`: no run tested the property",
    ),
  what: z.string().describe("the reason, the property with fault and cause, or what the resource did with late writes"),
  runs: z.int().positive(),
  place: z.string().exactOptional().describe("the cell of the table in which it was seen first"),
  replay: z.string().exactOptional().describe("the command that replays the first of these runs"),
});

const placeSchema = z.object({ lock: z.string(), fault: z.string() });

/** The outcome of a campaign: locks by faults. Rows and columns keep the order in which they first occur. */
export const summarySchema = z.object({
  title: z.string().exactOptional(),
  cells: z.array(cellSchema),
  notes: z
    .array(noteSchema)
    .exactOptional()
    .describe("what was observed besides the verdicts, with the number of runs"),
  residualRisk: residualRiskSchema.exactOptional().describe("what a hunt without a violation leaves open"),
  exploration: explorationSchema.exactOptional().describe("how far an exploration went"),
  missing: z
    .object({ cells: z.int().positive(), reason: z.string() })
    .exactOptional()
    .describe("cells of the table that were not searched"),
  changes: z
    .object({
      new: z.array(placeSchema).describe("broken now, and not in the former results"),
      known: z.array(placeSchema).describe("broken now and in the former results"),
      fixed: z.array(placeSchema).describe("broken in the former results, and holds now"),
    })
    .exactOptional()
    .describe("compared with the results of a former campaign"),
});

/** What a lock did under a fault in a campaign, and what its documentation leads one to expect. */
export type SummaryCell = Readonly<z.infer<typeof cellSchema>>;

/** An observation beside the verdicts, counted. */
export type SummaryNote = Readonly<z.infer<typeof noteSchema>>;

/** What has changed since an earlier campaign. */
export type SummaryChanges = NonNullable<Summary["changes"]>;

/** The outcome of a campaign. */
export interface Summary {
  readonly title?: string;
  readonly cells: readonly SummaryCell[];
  readonly notes?: readonly SummaryNote[];
  readonly residualRisk?: ResidualRisk | undefined;
  readonly exploration?: Exploration;
  /** What the whole search says in a sentence, where no run says it better. An exploration has its own. */
  readonly conclusion?: string;
  readonly missing?: { readonly cells: number; readonly reason: string };
  readonly changes?: Readonly<Record<"new" | "known" | "fixed", readonly Pick<SummaryCell, "lock" | "fault">[]>>;
}

/** More kinds of faults than this are counted, not named: a name as long as a paragraph says nothing. */
const MOST_NAMED = 3;

/** The faults of a cell for a heading or a sentence: `partition + clock-jump`, or `any of 13 kinds of faults`. */
export function faultWords(fault: string): string {
  const kinds = fault.split(" + ");
  return kinds.length > MOST_NAMED ? `any of ${kinds.length} kinds of faults` : fault;
}

/** A summary as rows (locks) and columns (faults); a combination that was not run is undefined. */
export interface SummaryGrid {
  readonly faults: readonly string[];
  readonly rows: readonly { readonly lock: string; readonly cells: readonly (SummaryCell | undefined)[] }[];
  /** The cells whose result differs from what was expected, `unknown` among them. */
  readonly surprises: readonly SummaryCell[];
}

/**
 * Where a combination occurs twice, the worse outcome counts: broken over unknown over simulated over outlived over
 * holds.
 */
export function summaryGrid({ cells }: Summary): SummaryGrid {
  const byPlace = new Map<string, SummaryCell>();
  const badness = { holds: 0, outlived: 1, simulated: 2, unknown: 3, broken: 4 };
  for (const cell of cells) {
    const place = placeOf(cell.lock, cell.fault);
    const known = byPlace.get(place);
    if (known === undefined || badness[cell.found] > badness[known.found]) byPlace.set(place, cell);
  }
  const faults = [...new Set(cells.map(({ fault }) => fault))];
  const locks = [...new Set(cells.map(({ lock }) => lock))];
  return {
    faults,
    rows: locks.map((lock) => ({ lock, cells: faults.map((fault) => byPlace.get(placeOf(lock, fault))) })),
    surprises: [...byPlace.values()].filter(isSurprise),
  };
}

/**
 * Whether the result differs from what was expected; without an expectation only `unknown` is a surprise. A known limit
 * that needs an exact moment and did not show on real servers is no surprise; nor is a run in which no client outlived
 * its lease although one may.
 */
export function isSurprise({ expected, found }: SummaryCell): boolean {
  if (found === "simulated") return expected === "holds" || expected === "outlived";
  if (expected === "outlived" && found === "holds") return false;
  return found === "unknown" || (expected !== undefined && expected !== found);
}

function placeOf(lock: string, fault: string): string {
  return JSON.stringify([lock, fault]);
}

/** Says in words that a table is incomplete. */
export function missingWords({ cells, reason }: NonNullable<Summary["missing"]>): string {
  return `${cells} more ${cells === 1 ? "cell was" : "cells were"} not searched: ${reason}`;
}

/**
 * The runs that report a problem. In a campaign this leaves out those that show what is expected of a lock, such as the
 * flaw of a flawed one.
 */
export function alarmingRuns<Run>({ runs, summary }: { runs: readonly Run[]; summary?: Summary }): readonly Run[] {
  const expected = new Set(summary?.cells.filter((cell) => !isSurprise(cell)).map(({ run }) => run));
  return runs.filter((_, index) => !expected.has(index));
}

/** How much the ticks of a table prove: the bound that follows from the fewest valid runs behind one. */
export function tickWords(cells: readonly (SummaryCell | undefined)[]): string | undefined {
  const valid = cells.flatMap((cell) =>
    cell?.valid === undefined || (cell.found !== "holds" && cell.found !== "outlived") ? [] : [cell.valid],
  );
  if (valid.length === 0) return undefined;
  const least = Math.min(...valid);
  const bound = `behind each ✓ and ○ at least ${count(least, "valid run")} without a violation: ${boundWords(least)}`;
  return [bound, ...completeWords(cells)].join("; ");
}

/** How many of the ticks of a table are complete to one deviation, and how far the others are. */
function completeWords(summarized: readonly (SummaryCell | undefined)[]): readonly string[] {
  const bounded = summarized.flatMap((cell) => {
    const { found, oneDeviation } = cell ?? {};
    return oneDeviation === undefined || (found !== "holds" && found !== "outlived") ? [] : [oneDeviation];
  });
  if (bounded.length === 0) return [];
  const sum = (of: (each: (typeof bounded)[number]) => number): number =>
    bounded.reduce((total, each) => total + of(each), 0);
  const complete = bounded.filter(({ run, of }) => run === of).length;
  const [run, of] = [sum((each) => each.run), sum((each) => each.of)].map((figure) => inFigures(figure));
  const cells = `${complete} of ${count(bounded.length, "cell")} under a fault ${bounded.length === 1 ? "is" : "are"} complete to one deviation`;
  return [`${cells} (${run} of ${of} schedules run)`];
}

/** How far a cell is from complete to one deviation. */
function oneDeviationWords({ run, of }: NonNullable<SummaryCell["oneDeviation"]>): string {
  if (run === of) return `, complete to one deviation, ${inFigures(of)} schedules`;
  return `, ${inFigures(run)} of ${inFigures(of)} schedules with one deviation`;
}

interface Figure {
  readonly figure: number;
  readonly means: string;
}

/** How many cells came out how, and how many runs that took; of a single cell, how its runs came out. */
export function summaryFigures({ cells }: Summary): readonly Figure[] {
  const [only] = cells;
  if (cells.length === 1 && only !== undefined) return cellFigures(only);
  const of = (is: (cell: SummaryCell) => boolean): number => cells.filter(is).length;
  const runs = cells.reduce((sum, cell) => sum + (cell.runs ?? 0), 0);
  const tested = cells.filter(({ found, valid }) => valid !== undefined && found !== "broken" && found !== "simulated");
  const valid = tested.reduce((sum, cell) => sum + (cell.valid ?? 0), 0);
  const undecided = tested.reduce((sum, cell) => sum + (cell.runs ?? 0), 0) - valid;
  const broken = (cell: SummaryCell): boolean => cell.found === "broken";
  return [
    { figure: runs, means: "runs" },
    { figure: of(({ found }) => found === "holds" || found === "outlived"), means: "cells hold" },
    { figure: valid, means: "valid runs behind them" },
    ...some({ figure: undecided, means: "runs there decided nothing" }),
    { figure: of((cell) => broken(cell) && !isSurprise(cell)), means: "cells broken, as documented or not claimed" },
    { figure: of((cell) => broken(cell) && isSurprise(cell)), means: "cells broken against a claim" },
    ...some({ figure: of(({ found }) => found === "simulated"), means: "cells broken in simulation only" }),
    ...some({ figure: of(({ found }) => found === "unknown"), means: "cells unknown" }),
  ];
}

/** What is worth a figure only where there is any. */
function some(one: Figure): readonly Figure[] {
  return one.figure === 0 ? [] : [one];
}

/** A search ends with the first run that breaks the lock, unless it says how many did. */
function cellFigures(cell: SummaryCell): readonly Figure[] {
  const { found, runs = 0, valid = 0, unpromised = 0 } = cell;
  const broken = cell.invalid ?? (found === "broken" ? 1 : 0);
  return [
    { figure: runs, means: runs === 1 ? "run" : "runs" },
    { figure: valid, means: "valid" },
    { figure: Math.max(0, runs - valid - unpromised - broken), means: "unknown" },
    ...some({ figure: unpromised, means: "without a guaranteed property" }),
    { figure: broken, means: "broke the lock" },
  ];
}

/**
 * A cell in words: the expected and the actual result, the number of runs, and what that number proves. Of a hunt it
 * proves nothing by itself: most plans are no random sample, and the bound is that of those that are.
 */
export function cellWords({ expected, found, runs, valid, held, oneDeviation, note }: SummaryCell): string {
  const wanted = expected === undefined ? "" : `expected ${expected}, `;
  const after = runs === undefined ? "" : ` in ${count(runs, "run")}`;
  const unbroken = found === "holds" || found === "outlived";
  const proves = held === undefined && valid !== undefined ? `: ${boundWords(valid)}` : "";
  const bound = unbroken && valid !== undefined ? `, ${inFigures(valid)} of them valid${proves}` : "";
  const deviated = unbroken && oneDeviation !== undefined ? oneDeviationWords(oneDeviation) : "";
  return `${wanted}found ${found}${after}${bound}${deviated}${note === undefined ? "" : ` (${note})`}`;
}

/** What a search of one lock under its faults came to, in words. */
export function searchWords({ found, runs = 0, valid = 0, invalid, note }: SummaryCell): string {
  const after = `${count(runs, "run")}, ${inFigures(valid)} of them valid`;
  const words = {
    holds: `no violation in ${after}`,
    outlived: `no violation in ${after}; clients outlived their leases`,
    broken:
      invalid === undefined
        ? `broken, found in ${count(runs, "run")}`
        : `broken in ${inFigures(invalid)} of ${count(runs, "run")}`,
    simulated: `broken in simulation only, in ${count(runs, "run")}`,
    unknown: `undecided after ${after}`,
  }[found];
  return note === undefined ? words : `${words} (${note})`;
}
