import { z } from "zod";
import { UserError } from "../../core/errors.ts";
import type { CampaignIdentity, CampaignParameters, Shard } from "../campaign-journal.ts";
import { NOTE_KINDS } from "../../core/run-note.ts";
import type { TalliedNote } from "../notes/tally.ts";
import { planSchema } from "../../core/plan.ts";
import { TOPOLOGIES } from "../../core/topology.ts";
import { type TableBackend, TABLE_BACKENDS } from "../../core/topologies/backend.ts";
import { type Cell, ladderCells, type LadderScope, rowName, titleOf } from "./cells.ts";
import type { CellProgress } from "./cell-notes.ts";
import type { CellOutcome, OneDeviation } from "./search-cell.ts";

const notesSchema = z
  .array(z.strictObject({ kind: z.enum(NOTE_KINDS), what: z.string(), runs: z.int().positive() }))
  .readonly();

const counted = {
  runs: z.int().nonnegative(),
  valid: z.int().nonnegative().exactOptional(),
  notes: notesSchema.exactOptional(),
};

const progressSchema = z.strictObject({
  runs: z.int().positive(),
  valid: z.int().nonnegative(),
  notes: notesSchema,
});

const outcomeSchema = z.strictObject({
  found: z.enum(["holds", "outlived", "broken", "unknown"]),
  ...counted,
  oneDeviation: z.strictObject({ run: z.int().nonnegative(), of: z.int().positive() }).exactOptional(),
  failing: z.strictObject({ path: z.string(), events: z.int().nonnegative() }).exactOptional(),
});

const realOutcomeSchema = z.strictObject({
  found: z.enum(["holds", "outlived", "broken", "simulated", "unknown"]),
  ...counted,
  broke: z
    .strictObject({ folder: z.string().describe("the run's, from the folder of results"), events: z.int() })
    .exactOptional(),
});

/** The result of real servers for a cell. */
export type RealOutcome = z.infer<typeof realOutcomeSchema>;

/**
 * A finished piece of work: a part of a cell's search, without a counterexample; a cell searched, its counterexample
 * shrunk; a plan found for real servers, the servers' result.
 */
export const ladderEntrySchema = z.union([
  z.strictObject({ cell: z.int().nonnegative(), searched: progressSchema }),
  z.strictObject({ cell: z.int().nonnegative(), outcome: outcomeSchema }),
  z.strictObject({ cell: z.int().nonnegative(), plan: planSchema.nullable() }),
  z.strictObject({ cell: z.int().nonnegative(), real: realOutcomeSchema }),
  z.strictObject({
    cell: z.int().nonnegative(),
    shrunk: z.string().describe("the run's folder, from the folder of results"),
  }),
]);
export type LadderEntry = z.infer<typeof ladderEntrySchema>;

/** Everything that decides the outcome of a table. */
export interface LadderParameters {
  readonly scope: LadderScope;
  readonly seed: number;
  /** Plans for each cell. Absent: what is expected of the cell decides. */
  readonly runs?: number | undefined;
  /** Whether every schedule with one deviation of the small workloads is run. */
  readonly complete?: boolean | undefined;
}

/** The description of a table's campaign, for its journal. */
export function ladderIdentity(
  { scope, seed, runs, complete = false }: LadderParameters,
  shard?: Shard,
): CampaignIdentity {
  const { all, backend, only, topology, faults } = scope;
  const parameters: CampaignParameters = {
    all,
    backend,
    ...(only === undefined ? {} : { only: [...only] }),
    ...(topology === undefined ? {} : { topology }),
    ...(faults === undefined ? {} : { faults: [...faults] }),
    seed,
    ...(runs === undefined ? {} : { runs }),
    ...(complete ? { complete } : {}),
    // Another version of lockstorm may have other cells.
    cells: ladderCells(scope).map(titleOf),
  };
  return { kind: "ladder", parameters, shard };
}

const parametersSchema = z.looseObject({
  all: z.boolean(),
  only: z.array(z.string()).exactOptional(),
  topology: z.enum(TOPOLOGIES).exactOptional(),
  faults: z.array(z.string()).exactOptional(),
  backend: z.enum(TABLE_BACKENDS),
  seed: z.int(),
  runs: z.int().exactOptional(),
  complete: z.boolean().exactOptional(),
  cells: z.array(z.string()),
});

/**
 * The table that a journal belongs to.
 * @throws UserError when this version of lockstorm has other cells
 */
export function tableOfJournal(
  { parameters }: CampaignIdentity,
  file: string,
): {
  readonly cells: readonly Cell[];
  readonly backend: TableBackend;
  readonly search: Omit<LadderParameters, "scope">;
} {
  const parsed = parametersSchema.safeParse(parameters);
  const cells = parsed.success ? ladderCells(parsed.data) : [];
  if (parsed.success && JSON.stringify(parsed.data.cells) === JSON.stringify(cells.map(titleOf))) {
    const { backend, seed, runs, complete } = parsed.data;
    return { cells, backend, search: { seed, runs, complete } };
  }
  throw new UserError(
    `${file} belongs to a table that this version of lockstorm does not have`,
    "merge with the version of lockstorm that hunted",
  );
}

/** A cell that was searched. */
export interface Found {
  readonly index: number;
  readonly cell: Cell;
  readonly found: RealOutcome["found"];
  readonly runs: number;
  readonly valid?: number | undefined;
  readonly notes?: readonly TalliedNote[] | undefined;
  readonly oneDeviation?: OneDeviation | undefined;
  /** For a cell that broke: the number of events of the history. */
  readonly events?: number | undefined;
}

/** A cell that was searched in simulation. */
export interface Simulated {
  readonly index: number;
  readonly cell: Cell;
  readonly outcome: CellOutcome;
}

/** The cells that were searched in simulation, in the order of the table. */
export function simulatedIn(cells: readonly Cell[], entries: readonly LadderEntry[]): readonly Simulated[] {
  const outcomes = new Map(entries.flatMap((entry) => ("outcome" in entry ? [[entry.cell, entry.outcome]] : [])));
  return cells.flatMap((cell, index) => {
    const outcome = outcomes.get(index);
    return outcome === undefined ? [] : [{ index, cell, outcome }];
  });
}

/** How far the search of a cell has come, where it was not finished. */
export function progressIn(entries: readonly LadderEntry[]): ReadonlyMap<number, CellProgress> {
  return new Map(entries.flatMap((entry) => ("searched" in entry ? [[entry.cell, entry.searched]] : [])));
}

/** The results of the cells in the order of the table: on containers those of real servers. */
export function foundIn(
  cells: readonly Cell[],
  entries: readonly LadderEntry[],
  backend: TableBackend,
): readonly Found[] {
  if (backend === "simulated")
    return simulatedIn(cells, entries).map(({ outcome: { failing, ...outcome }, ...where }) => ({
      ...where,
      ...outcome,
      events: failing?.events,
    }));
  const outcomes = new Map(entries.flatMap((entry) => ("real" in entry ? [[entry.cell, entry.real]] : [])));
  return cells.flatMap((cell, index) => {
    const real = outcomes.get(index);
    if (real === undefined) return [];
    const { broke, ...outcome } = real;
    return [{ index, cell, ...outcome, events: broke?.events }];
  });
}

/** The folders of kept counterexamples by their cell, from the folder of results: shrunk ones, or what real servers did. */
export function counterexamplesIn(entries: readonly LadderEntry[], backend: TableBackend): ReadonlyMap<number, string> {
  const folders = new Map<number, string>();
  for (const entry of entries) {
    if (backend === "simulated" && "shrunk" in entry) folders.set(entry.cell, entry.shrunk);
    if (backend === "containers" && "real" in entry && entry.real.broke !== undefined)
      folders.set(entry.cell, entry.real.broke.folder);
  }
  return folders;
}

/**
 * For each row that broke, the cell worth shrinking: for a flawed lock the cell that shows its flaw, otherwise the cell
 * whose failing run has the fewest events. Among the cells that the shards choose, the whole table chooses one by the
 * same rule.
 */
export function mostTelling(found: readonly Found[]): readonly Found[] {
  const chosen = new Map<string, Found>();
  for (const each of found) {
    if (each.events === undefined) continue;
    const row = rowName(each.cell);
    const known = chosen.get(row);
    if (known === undefined || compare(each, known) < 0) chosen.set(row, each);
  }
  return [...chosen.values()];
}

function compare(one: Found, other: Found): number {
  const eventsOf = ({ events = Infinity }: Found): number => events;
  return Number(showsFlaw(other.cell)) - Number(showsFlaw(one.cell)) || eventsOf(one) - eventsOf(other);
}

function showsFlaw({ lock, fault }: Cell): boolean {
  return lock.flawed && lock.limits[0]?.under === (fault?.kind ?? "none");
}
