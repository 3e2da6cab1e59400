import type { Plan } from "../../core/plan.ts";
import type { TalliedNote } from "../notes/tally.ts";
import { keepSimulated, proveSimulated, runSimulated, type SimulatedRun } from "../run-simulated.ts";
import { learnSimulated } from "../systematic/learn.ts";
import { remembering } from "../systematic/remembering.ts";
import type { CampaignOptions } from "../run-campaign.ts";
import { search, type Searched, type SearchOptions } from "../search.ts";
import { CellNotes, type CellProgress } from "./cell-notes.ts";
import { type Cell, cellSource, JUDGED, titleOf } from "./cells.ts";

/**
 * The number of runs for a cell that should hold, and for one that is known to break: the latter ends with its first
 * failing run.
 */
const HOLDING_RUNS = 24;
const BREAKING_RUNS = 1000;
const SHRINK_RUNS = 75;

export interface CellSearchOptions {
  readonly seed: number;
  /** Plans for each cell. Absent: what is expected of the cell decides. */
  readonly runs?: number | undefined;
  /** Whether every schedule with one deviation of the small workloads is run. Default: false. */
  readonly complete?: boolean | undefined;
  /** The folder in which counterexamples are kept. */
  readonly store: string;
}

/** The findings of a cell. */
export interface CellOutcome {
  readonly found: "holds" | "outlived" | "broken" | "unknown";
  readonly runs: number;
  readonly valid?: number;
  /** For a cell in which nothing broke: the schedules of its small workloads with one deviation. */
  readonly oneDeviation?: OneDeviation;
  /** Why runs are unknown, and what happened to late writes. */
  readonly notes?: readonly TalliedNote[];
  /** For a cell that broke: where fast-check finds it again, and the number of events of its history. */
  readonly failing?: { readonly path: string; readonly events: number };
}

/** Schedules with one deviation. */
export interface OneDeviation {
  /** How many were run. */
  readonly run: number;
  /** How many there are. */
  readonly of: number;
}

type CellRun = Searched<SimulatedRun>;

/** How many runs lie between two notes of a search's progress. At most this many are repeated after an interruption. */
const RUNS_BETWEEN_NEWS = 50;

/** A search that was interrupted, and who wants to know how far this one is. */
interface Continuation {
  readonly before?: CellProgress | undefined;
  readonly onProgress?: (progress: CellProgress) => void;
}

/** Searches a cell for a run in which its lock breaks its promise. */
export async function searchCell(
  cell: Cell,
  options: CellSearchOptions,
  { before, onProgress }: Continuation = {},
): Promise<CellOutcome> {
  const noted = new CellNotes(before);
  const done = before?.runs ?? 0;
  const onRun = (run: CellRun): void => {
    noted.add(run);
    const { progress } = noted;
    if (run.verdict.verdict !== "invalid" && progress.runs % RUNS_BETWEEN_NEWS === 0) onProgress?.(progress);
  };
  const isMine = (position: number): boolean => position >= done;
  const { counterexample, singlesAmong, countSingles } = await searchIn(cell, options, {
    shrinkRuns: 0,
    onRun,
    isMine,
    run: (plan) => (plan.faults.length === 0 ? runWithoutFaults(plan) : runIn(cell)(plan)),
  });
  if (counterexample === undefined) {
    const { holding } = noted;
    const of = countSingles();
    return of === 0 ? holding : { ...holding, oneDeviation: { run: singlesAmong(holding.runs), of } };
  }
  const { run, path = "" } = counterexample;
  return { found: "broken", ...noted.counts, failing: { path, events: run.record.history.events.length } };
}

/**
 * Returns to the run that `searchCell` found, shrinks it, keeps it, and returns its folder; null when the plan does not fail
 * again, because something remains from one run to the next.
 */
export async function shrinkCell(cell: Cell, options: CellSearchOptions, path: string): Promise<string | null> {
  const { counterexample } = await searchIn(cell, options, { shrinkRuns: SHRINK_RUNS, path, run: runIn(cell) });
  if (counterexample === undefined) return null;
  const run = await proveSimulated(counterexample.run);
  return keepSimulated(run, options.store).folder;
}

const learn = remembering(learnSimulated());

/** The plans without faults are the same in each cell of a row, and most of its work. */
const runWithoutFaults = remembering((plan) => runSimulated(plan, { title: plan.lock, required: JUDGED }));

function runIn(cell: Cell): (plan: Plan) => Promise<SimulatedRun> {
  return (plan) => runSimulated(plan, { title: titleOf(cell), required: JUDGED });
}

/** The same plans at each call, so that a path leads back to the run that was found. */
function searchIn(
  cell: Cell,
  { seed, runs, complete }: CellSearchOptions,
  how: Pick<CampaignOptions<CellRun>, "shrinkRuns" | "path" | "onRun" | "isMine"> &
    Pick<SearchOptions<SimulatedRun>, "run">,
) {
  return search<SimulatedRun>({
    drawnFrom: cellSource(cell),
    seed,
    runs: runs ?? (cell.expected === "broken" ? BREAKING_RUNS : HOLDING_RUNS),
    complete,
    ...how,
    learn,
  });
}
