import { z } from "zod";
import { UserError } from "../../core/errors.ts";
import type { CampaignIdentity, CampaignParameters, Shard } from "../../run/campaign-journal.ts";
import { type Cell, ladderCells, type LadderScope, rowName, titleOf } from "./cells.ts";
import type { CellOutcome } from "./search-cell.ts";

const outcomeSchema = z.strictObject({
  found: z.enum(["holds", "broken", "unknown"]),
  runs: z.int().nonnegative(),
  failing: z.strictObject({ path: z.string(), events: z.int().nonnegative() }).exactOptional(),
});

/** A piece of work that is done: a cell searched, or the counterexample of one shrunk and kept. */
export const ladderEntrySchema = z.union([
  z.strictObject({ cell: z.int().nonnegative(), outcome: outcomeSchema }),
  z.strictObject({
    cell: z.int().nonnegative(),
    shrunk: z.string().describe("the run's folder, from the folder of results"),
  }),
]);
export type LadderEntry = z.infer<typeof ladderEntrySchema>;

/** What the outcome of a table depends on. */
export interface LadderParameters {
  readonly scope: LadderScope;
  readonly seed: number;
  /** Of each cell; absent leaves it to what is expected of the cell. */
  readonly runs?: number;
}

/** What a table's campaign is, for its journal. */
export function ladderIdentity({ scope, seed, runs }: LadderParameters, shard?: Shard): CampaignIdentity {
  const parameters: CampaignParameters = {
    all: scope.all,
    ...(scope.only === undefined ? {} : { only: [...scope.only] }),
    seed,
    ...(runs === undefined ? {} : { runs }),
    // Another version of lockstorm may have others.
    cells: ladderCells(scope).map(titleOf),
  };
  return { kind: "ladder", parameters, ...(shard === undefined ? {} : { shard }) };
}

const parametersSchema = z.looseObject({
  all: z.boolean(),
  only: z.array(z.string()).exactOptional(),
  cells: z.array(z.string()),
});

/** The cells of a journal's table. @throws UserError when this version of lockstorm has others */
export function cellsOfJournal({ parameters }: CampaignIdentity, file: string): readonly Cell[] {
  const parsed = parametersSchema.safeParse(parameters);
  const cells = parsed.success ? ladderCells(parsed.data) : [];
  if (parsed.success && JSON.stringify(parsed.data.cells) === JSON.stringify(cells.map(titleOf))) return cells;
  throw new UserError(
    `${file} is of a table that this version of lockstorm does not have`,
    "merge with the version that hunted",
  );
}

/** A cell that was searched. */
export interface Found {
  readonly index: number;
  readonly cell: Cell;
  readonly outcome: CellOutcome;
}

/** The cells that the entries tell of, in the order of the table. */
export function foundIn(cells: readonly Cell[], entries: readonly LadderEntry[]): readonly Found[] {
  const outcomes = new Map(entries.flatMap((entry) => ("outcome" in entry ? [[entry.cell, entry.outcome]] : [])));
  return cells.flatMap((cell, index) => {
    const outcome = outcomes.get(index);
    return outcome === undefined ? [] : [{ index, cell, outcome }];
  });
}

/**
 * For each row that broke, the cell worth shrinking: where a flawed lock shows its flaw, and else the one whose failing
 * run has the fewest events. Of what each shard chooses so, the whole table chooses one.
 */
export function mostTelling(found: readonly Found[]): readonly Found[] {
  const chosen = new Map<string, Found>();
  for (const each of found) {
    if (each.outcome.failing === undefined) continue;
    const row = rowName(each.cell);
    const known = chosen.get(row);
    if (known === undefined || compare(each, known) < 0) chosen.set(row, each);
  }
  return [...chosen.values()];
}

function compare(one: Found, other: Found): number {
  const eventsOf = ({ outcome }: Found): number => outcome.failing?.events ?? Infinity;
  return Number(showsFlaw(other.cell)) - Number(showsFlaw(one.cell)) || eventsOf(one) - eventsOf(other);
}

function showsFlaw({ lock, fault }: Cell): boolean {
  return lock.flawed && lock.limits[0]?.under === (fault?.kind ?? "none");
}
