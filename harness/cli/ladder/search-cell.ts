import { type Judged, runCampaign } from "../../run/campaign.ts";
import { keepRun } from "../backend.ts";
import { keepSimulated, runSimulated, type SimulatedRun } from "../run-simulated.ts";
import { type Cell, cellPlans, titleOf } from "./cells.ts";

/** Runs of a cell that should hold, and of one that is known to break: that one ends with the first that does. */
const HOLDING_RUNS = 6;
const BREAKING_RUNS = 1000;
const SHRINK_RUNS = 75;

export interface SearchOptions {
  readonly seed: number;
  /** Of each cell; absent leaves it to what is expected of the cell. */
  readonly runs?: number;
  /** The folder in which counterexamples are kept. */
  readonly store: string;
}

/** What was found of a cell. */
export interface CellOutcome {
  readonly found: "holds" | "broken" | "unknown";
  readonly runs: number;
  /** Of a cell that broke: where fast-check finds it again, and the number of events of its history. */
  readonly failing?: { readonly path: string; readonly events: number };
}

type CellRun = SimulatedRun & Judged;

/** Searches a cell for a run that breaks what its lock promises. */
export async function searchCell(cell: Cell, options: SearchOptions): Promise<CellOutcome> {
  const { counterexample, valid, runs } = await campaign(cell, options, { shrinkRuns: 0 });
  if (counterexample === undefined) return { found: valid > 0 ? "holds" : "unknown", runs };
  const { run, path = "" } = counterexample;
  return { found: "broken", runs, failing: { path, events: run.record.history.events.length } };
}

/** Goes back to what `searchCell` found, shrinks it, keeps the run, and gives its folder. */
export async function shrinkCell(cell: Cell, options: SearchOptions, path: string): Promise<string> {
  const { counterexample } = await campaign(cell, options, { shrinkRuns: SHRINK_RUNS, path });
  if (counterexample === undefined) throw new Error(`${titleOf(cell)} does not fail again at ${path}`);
  const { run } = counterexample;
  return keepRun({ ...run, keep: () => keepSimulated(run, options.store) }).folder;
}

/** The same plans whenever it is asked, so that a path leads back to what it found. */
function campaign(cell: Cell, { seed, runs }: SearchOptions, how: { shrinkRuns: number; path?: string }) {
  return runCampaign<CellRun>({
    seed,
    runs: runs ?? (cell.expected === "broken" ? BREAKING_RUNS : HOLDING_RUNS),
    plans: cellPlans(cell),
    ...how,
    execute: async (plan) => {
      const run = await runSimulated(plan, { title: titleOf(cell), required: cell.promised });
      return { ...run, verdict: run.record.verdict };
    },
  });
}
