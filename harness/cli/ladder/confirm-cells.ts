import { relative } from "node:path";
import { ContainerPool } from "../../containers/container-pool.ts";
import type { NodeServer } from "../../containers/images.ts";
import type { Plan } from "../../core/plan.ts";
import { type Judged, runCampaign } from "../../run/campaign.ts";
import { type ExecutedRun, type Execute, executorOf } from "../backend.ts";
import type { Progress } from "../progress.ts";
import { type Cell, cellPlans, titleOf } from "./cells.ts";
import type { RealOutcome } from "./ladder-journal.ts";

/** How often real servers are given a plan that breaks a lock in simulation, before they are said not to show it. */
const CONFIRMING_RUNS = 3;
/** Valid runs that let a cell hold, and how many runs may be made to have them: some decide nothing. */
const VALID_RUNS = 2;
const HOLDING_RUNS = 12;
/** Plans for a cell that should break, where no simulation could find one. */
const BREAKING_RUNS = 20;

export interface ConfirmOptions {
  readonly seed: number;
  /** Plans for each cell that no simulation broke; absent leaves it to what is expected of the cell. */
  readonly runs?: number;
  readonly store: string;
  readonly server: NodeServer;
  readonly proxyPort: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

type CellRun = Judged & ExecutedRun;

/**
 * What real servers show of cells. One whose limit the simulation has found is asked for with that very plan; else plans
 * are drawn as the simulation draws them. Servers are kept from run to run: cells of a topology come one after another.
 */
export class CellConfirmation implements AsyncDisposable {
  readonly #options: ConfirmOptions;
  readonly #pool = new ContainerPool();
  readonly #execute: Execute;

  private constructor(options: ConfirmOptions, execute: Execute) {
    this.#options = options;
    this.#execute = execute;
  }

  static async open(options: ConfirmOptions): Promise<CellConfirmation> {
    return new CellConfirmation(options, await executorOf("containers"));
  }

  /**
   * @param plan what breaks the cell in simulation, if anything does
   * @returns undefined when the signal came first
   */
  async confirm(cell: Cell, plan: Plan | undefined): Promise<RealOutcome | undefined> {
    const outcome = plan === undefined ? await this.#search(cell) : await this.#replay(cell, plan);
    return this.#options.signal.aborted ? undefined : outcome;
  }

  async #replay(cell: Cell, plan: Plan): Promise<RealOutcome> {
    for (let runs = 1; runs <= CONFIRMING_RUNS && !this.#options.signal.aborted; runs += 1) {
      const run = await this.#run(cell, plan);
      if (run.verdict.verdict === "invalid") return { found: "broken", runs, broke: this.#broke(run) };
    }
    return { found: "simulated", runs: CONFIRMING_RUNS };
  }

  async #search(cell: Cell): Promise<RealOutcome> {
    const { seed, signal, runs = cell.expected === "broken" ? BREAKING_RUNS : HOLDING_RUNS } = this.#options;
    const enough = new AbortController();
    let valid = 0;
    const result = await runCampaign<CellRun>({
      seed,
      runs,
      plans: cellPlans(cell),
      shrinkRuns: 0,
      signal: AbortSignal.any([signal, enough.signal]),
      execute: (plan) => this.#run(cell, plan),
      onRun: ({ verdict }) => {
        if (verdict.verdict === "valid") valid += 1;
        if (cell.expected !== "broken" && valid >= VALID_RUNS) enough.abort();
      },
    });
    if (result.counterexample !== undefined)
      return { found: "broken", runs: result.runs, broke: this.#broke(result.counterexample.run) };
    return { found: valid > 0 ? "holds" : "unknown", runs: result.runs };
  }

  async #run(cell: Cell, plan: Plan): Promise<CellRun> {
    const { store, server, proxyPort, signal, progress } = this.#options;
    const run = await this.#execute(plan, {
      title: titleOf(cell),
      required: cell.promised,
      store,
      server,
      proxyPort,
      signal,
      progress,
      pool: this.#pool,
    });
    return { ...run, plan, verdict: run.record.verdict };
  }

  #broke(run: CellRun): NonNullable<RealOutcome["broke"]> {
    return { folder: relative(this.#options.store, run.keep().folder), events: run.record.history.events.length };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }
}
