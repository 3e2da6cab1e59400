import fc, { PreconditionFailure, type Arbitrary } from "fast-check";
import type { Plan } from "../core/plan.ts";
import type { RecurrenceCount } from "../core/recurrence.ts";
import type { Verdict } from "../core/verdict.ts";
import { countRecurrences } from "./recurrence/count-recurrences.ts";
import { withOtherSeeds } from "./recurrence/variations.ts";
import { hasVisibleOverlap } from "./visible-overlap.ts";

/** One plan that was run and judged. */
export interface Judged {
  readonly plan: Plan;
  readonly verdict: Verdict;
}

export interface CampaignOptions<Run extends Judged> {
  readonly plans: Arbitrary<Plan>;
  /** Plans that failed before; they run first, unless `path` names one counterexample. */
  readonly regressions?: readonly Plan[] | undefined;
  readonly seed: number;
  /** Replays one counterexample, by the path that an earlier campaign printed. */
  readonly path?: string | undefined;
  readonly runs: number;
  /** No new run begins after this many milliseconds. */
  readonly budgetMs?: number | undefined;
  /** How many runs shrinking may take. A plan that was judged before is not run again. */
  readonly shrinkRuns: number;
  /**
   * How many other seeds judge each smaller plan that fails: one whose violation comes again much less often is not
   * taken. All in all they may take as many runs as shrinking. Default: 0.
   */
  readonly otherSeeds?: number | undefined;
  readonly execute: (plan: Plan) => Promise<Run>;
  /**
   * Which plans are run, by the index of the run from 0: regressions first, then generated plans. The others are
   * skipped, so that the shards of a campaign together run the same plans as the undivided campaign. Ignored with
   * `path`.
   */
  readonly isMine?: ((position: number) => boolean) | undefined;
  /** Verdicts of plans, by position, that an interrupted part of this campaign has judged: they are not run again. */
  readonly known?: ReadonlyMap<number, Verdict["verdict"]> | undefined;
  /** Called after each run. */
  readonly onRun?: ((run: Run, count: RunCount) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which run it was. */
interface RunCount {
  /** Runs so far, without those of shrinking. */
  readonly done: number;
  readonly shrinking: boolean;
  /** The position of its plan; while shrinking, of the plan that is being shrunk. */
  readonly position: number;
}

interface Counterexample<Run extends Judged> {
  /** The smallest failing run that was found; once some have measurably overlapping holds, the smallest of those. */
  readonly run: Run;
  /** The path that leads fast-check to it again; absent for a regression. */
  readonly path?: string | undefined;
  readonly shrinks: number;
  /** With how many other seeds the violation came again, where a search counted. */
  readonly otherSeeds?: RecurrenceCount | undefined;
  /** Of the plan that failed first, before it was shrunk. */
  readonly position: number;
}

export interface CampaignResult<Run extends Judged> {
  readonly seed: number;
  readonly runs: number;
  readonly valid: number;
  readonly unknown: number;
  readonly counterexample?: Counterexample<Run> | undefined;
  /** True when the signal or the budget ended it before all runs were done. */
  readonly cutShort: boolean;
}

/**
 * Searches for a plan that is judged invalid, and shrinks the first one: regressions first, then generated plans. The
 * search ends with the first counterexample. If `execute` throws, the campaign ends and throws the same error.
 */
export async function runCampaign<Run extends Judged>(options: CampaignOptions<Run>): Promise<CampaignResult<Run>> {
  const search = new Search(options);
  for (const plan of options.path === undefined ? (options.regressions ?? []) : []) {
    if (search.isOver) break;
    if (!(await search.tries(plan))) return search.result();
  }
  const property = fc.asyncProperty(options.plans, (plan) => {
    // Ends the whole check, however many runs are left; a counterexample that was found is kept.
    if (search.isOver) throw new PreconditionFailure(true);
    return search.tries(plan);
  });
  const { counterexamplePath } = await fc.check(property, {
    seed: options.seed,
    numRuns: options.runs,
    ...(options.path === undefined ? {} : { path: options.path }),
  });
  return search.result(counterexamplePath ?? undefined);
}

/** The runs of one campaign so far. */
class Search<Run extends Judged> {
  readonly #options: CampaignOptions<Run>;
  readonly #deadline: number;
  /** Whether a plan, as text, held; only for plans run since the first failure. */
  readonly #judged = new Map<string, boolean>();
  /** Of the plan that was tried last, without those of shrinking. */
  #position = -1;
  #runs = 0;
  #valid = 0;
  #unknown = 0;
  #shrinks = 0;
  #failing: Run | undefined;
  /** With how many other seeds the violation came again, at most. */
  #mostSeeds = 0;
  #seedRuns = 0;
  #cutShort = false;
  #broken: { readonly error: unknown } | undefined;

  constructor(options: CampaignOptions<Run>) {
    this.#options = options;
    this.#deadline = options.budgetMs === undefined ? Infinity : performance.now() + options.budgetMs;
  }

  /** True when no further run may begin. */
  get isOver(): boolean {
    if (this.#broken !== undefined) return true;
    const { signal, shrinkRuns } = this.#options;
    if (this.#failing !== undefined && Math.max(this.#shrinks, this.#seedRuns) >= shrinkRuns) return true;
    const stopped = signal?.aborted === true || performance.now() > this.#deadline;
    if (stopped && this.#failing === undefined) this.#cutShort = true;
    return stopped;
  }

  /** Runs the next plan, unless it belongs to another shard or is known; false when it was judged invalid. */
  async tries(plan: Plan): Promise<boolean> {
    if (this.#failing !== undefined) return this.#holds(plan);
    this.#position += 1;
    const { isMine, known, path } = this.#options;
    if (path !== undefined) return this.#holds(plan);
    if (isMine?.(this.#position) === false) return true;
    const verdict = known?.get(this.#position);
    // A failing plan has to run again: its run is needed, and shrinking begins with it.
    if (verdict === undefined || verdict === "invalid") return this.#holds(plan);
    this.#count(verdict);
    return true;
  }

  /** Runs a plan; false when it was judged invalid. An error ends the search and is kept for `result`. */
  async #holds(plan: Plan): Promise<boolean> {
    const shrinking = this.#failing !== undefined;
    const text = JSON.stringify(plan);
    const known = shrinking ? this.#judged.get(text) : undefined;
    if (known !== undefined) return known;
    let run: Run;
    let fails: boolean;
    try {
      run = await this.#options.execute(plan);
      fails = run.verdict.verdict === "invalid" && this.#isAsPlain(run) && (await this.#lastsAsLong(run));
    } catch (error) {
      // Fast-check would take the error for a counterexample and shrink it.
      this.#broken = { error };
      return true;
    }
    if (shrinking) this.#shrinks += 1;
    else this.#count(run.verdict.verdict);
    if (fails) this.#failing = run;
    // A long search keeps nothing: it hardly ever draws the same plan twice.
    if (this.#failing !== undefined) this.#judged.set(text, !fails);
    this.#options.onRun?.(run, { done: this.#runs, shrinking, position: this.#position });
    return !fails;
  }

  /**
   * Whether a smaller counterexample still shows the violation clearly: one whose holds hardly overlap is too small.
   */
  #isAsPlain(run: Run): boolean {
    return this.#failing === undefined || hasVisibleOverlap(run.verdict) || !hasVisibleOverlap(this.#failing.verdict);
  }

  /**
   * Whether the violation comes again with other seeds about as often as that of the plans before. One time less may be
   * chance; a plan that fails once in a while only is smaller, but shows little.
   */
  async #lastsAsLong(run: Run): Promise<boolean> {
    const { otherSeeds = 0, shrinkRuns, execute } = this.#options;
    if (otherSeeds === 0 || shrinkRuns === 0) return true;
    const atLeast = this.#mostSeeds - 1;
    const again = await countRecurrences(withOtherSeeds(run.plan, otherSeeds), {
      run,
      atLeast,
      execute: (plan) => {
        this.#seedRuns += 1;
        return execute(plan);
      },
    });
    this.#mostSeeds = Math.max(this.#mostSeeds, again);
    return again >= atLeast;
  }

  #count(verdict: Verdict["verdict"]): void {
    this.#runs += 1;
    if (verdict === "valid") this.#valid += 1;
    if (verdict === "unknown") this.#unknown += 1;
  }

  /** @throws what a run threw */
  result(path?: string): CampaignResult<Run> {
    if (this.#broken !== undefined) throw this.#broken.error;
    const run = this.#failing;
    return {
      seed: this.#options.seed,
      runs: this.#runs,
      valid: this.#valid,
      unknown: this.#unknown,
      cutShort: this.#cutShort,
      counterexample: run && { run, shrinks: this.#shrinks, position: this.#position, path },
    };
  }
}
