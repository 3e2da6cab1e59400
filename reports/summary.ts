import { z } from "zod";

const cellSchema = z.object({
  lock: z.string(),
  fault: z.string().describe("a kind, a combination as `partition + clock-jump`, or `none` for runs without one"),
  expected: z.enum(["holds", "broken"]).exactOptional().describe("absent where nobody has said what to expect"),
  found: z
    .enum(["holds", "broken", "simulated", "unknown"])
    .describe("`simulated`: broken in simulation, and real servers that were given the same plan did not show it"),
  runs: z.int().nonnegative().exactOptional().describe("runs behind it"),
  note: z.string().exactOptional().describe("what to say of it in one line: the cause, why it is unknown"),
  run: z.int().nonnegative().exactOptional().describe("which of the report's runs shows it, counted from 0"),
});

const placeSchema = z.object({ lock: z.string(), fault: z.string() });

/** The outcome of a campaign: locks by faults. Rows and columns come in the order in which they first occur. */
export const summarySchema = z.object({
  title: z.string().exactOptional(),
  cells: z.array(cellSchema),
  missing: z
    .object({ cells: z.int().positive(), reason: z.string() })
    .exactOptional()
    .describe("cells that should be there and were not searched"),
  changes: z
    .object({
      new: z.array(placeSchema).describe("broken now, and not then"),
      known: z.array(placeSchema).describe("broken now as then"),
      fixed: z.array(placeSchema).describe("broken then, and holds now"),
    })
    .exactOptional()
    .describe("against the results of a former campaign"),
});

/** What a lock did under a fault in a campaign, beside what its documentation leads one to expect. */
export type SummaryCell = Readonly<z.infer<typeof cellSchema>>;

/** What has changed since a former campaign. */
export type SummaryChanges = NonNullable<Summary["changes"]>;

/** The outcome of a campaign. */
export interface Summary {
  readonly title?: string;
  readonly cells: readonly SummaryCell[];
  readonly missing?: { readonly cells: number; readonly reason: string };
  readonly changes?: Readonly<Record<"new" | "known" | "fixed", readonly Pick<SummaryCell, "lock" | "fault">[]>>;
}

/** A summary laid out as rows (locks) and columns (faults); a combination that was not run is undefined. */
export interface SummaryGrid {
  readonly faults: readonly string[];
  readonly rows: readonly { readonly lock: string; readonly cells: readonly (SummaryCell | undefined)[] }[];
  /** The cells in which something else was found than was expected, `unknown` among them. */
  readonly surprises: readonly SummaryCell[];
}

/** Where a combination occurs twice, the worse outcome stands: broken over unknown over simulated over holds. */
export function summaryGrid({ cells }: Summary): SummaryGrid {
  const byPlace = new Map<string, SummaryCell>();
  const badness = { holds: 0, simulated: 1, unknown: 2, broken: 3 };
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
 * Whether something else was found than was expected; without an expectation only `unknown` is a surprise. What real
 * servers did not show of a known limit, because it takes an exact moment, is none.
 */
export function isSurprise({ expected, found }: SummaryCell): boolean {
  if (found === "simulated") return expected === "holds";
  return found === "unknown" || (expected !== undefined && expected !== found);
}

function placeOf(lock: string, fault: string): string {
  return JSON.stringify([lock, fault]);
}

/** That a table is not whole, in words. */
export function missingWords({ cells, reason }: NonNullable<Summary["missing"]>): string {
  return `${cells} more ${cells === 1 ? "cell was" : "cells were"} not searched: ${reason}`;
}

/**
 * The runs that say something is wrong: in a campaign not those that show what was expected of a lock, such as the flaw
 * of a flawed one.
 */
export function alarmingRuns<Run>({ runs, summary }: { runs: readonly Run[]; summary?: Summary }): readonly Run[] {
  const expected = new Set(summary?.cells.filter((cell) => !isSurprise(cell)).map(({ run }) => run));
  return runs.filter((_, index) => !expected.has(index));
}
