import { relative } from "node:path";
import { ContainerPool } from "../../containers/container-pool.ts";
import type { Plan } from "../../core/plan.ts";
import { countedVerdict } from "../notes/counted-verdict.ts";
import { type ExecutedRun, type Execute, executorOf } from "../execute.ts";
import { progressOfRuns } from "../parallel/plans-at-a-time.ts";
import type { CompleteEnvironment } from "../run-environment.ts";
import { goingOn } from "../real-time/going-on.ts";
import { search } from "../search.ts";
import { CellNotes } from "./cell-notes.ts";
import { type Cell, cellSource, JUDGED, titleOf } from "./cells.ts";
import type { RealOutcome } from "./ladder-journal.ts";

/**
 * How often real servers run a plan that breaks a lock in simulation before the report says that they do not show it.
 */
const CONFIRMING_RUNS = 3;
/** The valid runs that a cell needs to hold, and the most runs made to get them: some decide nothing. */
const VALID_RUNS = 2;
const HOLDING_RUNS = 12;
/** Plans for a cell that should break, where no simulation could find one. */
const BREAKING_RUNS = 20;

export interface ConfirmOptions extends CompleteEnvironment {
  readonly seed: number;
  /** How many cells are tried at a time. */
  readonly parallel: number;
  /** Plans for each cell that no simulation broke. Default: what is expected of the cell decides. */
  readonly runs?: number | undefined;
}

/**
 * What real servers show for cells. If the simulation found a cell's limit, they run that very plan; otherwise plans
 * are drawn as the simulation draws them. Servers stay up from run to run: cells of a topology follow one another.
 */
export class CellConfirmation implements AsyncDisposable {
  readonly #options: ConfirmOptions;
  readonly #pool: ContainerPool;
  readonly #execute: Execute;

  private constructor(options: ConfirmOptions, execute: Execute) {
    this.#options = { ...options, progress: progressOfRuns(options.progress, options.parallel) };
    this.#pool = new ContainerPool(options.parallel);
    this.#execute = execute;
  }

  static async open(options: ConfirmOptions): Promise<CellConfirmation> {
    return new CellConfirmation(options, goingOn(await executorOf("containers")));
  }

  /**
   * @param plan the plan that breaks the cell in simulation, if any
   * @returns undefined when the signal came first
   */
  async confirm(cell: Cell, plan: Plan | undefined): Promise<RealOutcome | undefined> {
    const outcome = plan === undefined ? await this.#search(cell) : await this.#replay(cell, plan);
    return this.#options.signal.aborted ? undefined : outcome;
  }

  async #replay(cell: Cell, plan: Plan): Promise<RealOutcome> {
    for (let runs = 1; runs <= CONFIRMING_RUNS && !this.#options.signal.aborted; runs += 1) {
      const run = await this.#run(cell, plan);
      const { verdict } = countedVerdict(run.record.verdict, run.record.history);
      if (verdict === "invalid") return { found: "broken", runs, broke: this.#broke(run) };
    }
    return { found: "simulated", runs: CONFIRMING_RUNS };
  }

  async #search(cell: Cell): Promise<RealOutcome> {
    const { seed, signal, runs = cell.expected === "broken" ? BREAKING_RUNS : HOLDING_RUNS } = this.#options;
    const enough = new AbortController();
    const noted = new CellNotes();
    const result = await search<ExecutedRun>({
      drawnFrom: cellSource(cell),
      inRealTime: true,
      seed,
      runs,
      shrinkRuns: 0,
      signal: AbortSignal.any([signal, enough.signal]),
      run: (plan) => this.#run(cell, plan),
      onRun: (run) => {
        noted.add(run);
        if (cell.expected !== "broken" && noted.valid >= VALID_RUNS) enough.abort();
      },
    });
    if (result.counterexample !== undefined)
      return { found: "broken", runs: result.runs, broke: this.#broke(result.counterexample.run) };
    return noted.holding;
  }

  #run(cell: Cell, plan: Plan): Promise<ExecutedRun> {
    return this.#execute(plan, { ...this.#options, title: titleOf(cell), required: JUDGED, pool: this.#pool });
  }

  #broke(run: ExecutedRun): NonNullable<RealOutcome["broke"]> {
    return { folder: relative(this.#options.store, run.keep().folder), events: run.record.history.events.length };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }
}
