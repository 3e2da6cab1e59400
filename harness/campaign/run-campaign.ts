import fc, { PreconditionFailure, type Arbitrary } from "fast-check";
import type { Plan } from "../core/plan.ts";
import type { RecurrenceCount } from "../core/recurrence.ts";
import type { Verdict } from "../core/verdict.ts";
import type { PlansInOrder } from "./systematic/on-demand.ts";
import { RunsInOrder } from "./parallel/runs-in-order.ts";
import { ComparedRecurrences } from "./recurrence/compared-recurrences.ts";
import { saysAsMuch } from "./recurrence/same-violation.ts";
import { isAsPlain } from "./visible-overlap.ts";

/** One plan that was run and judged. */
export interface Judged {
  readonly plan: Plan;
  readonly verdict: Verdict;
  /** How many runs led to it, if a plan was retargeted after its first run. Default: 1. */
  readonly runs?: number | undefined;
}

export interface CampaignOptions<Run extends Judged> {
  /** Plans to run before those of `plans`. They shrink if `plans` shrinks what it has not drawn. */
  readonly first?: PlansInOrder | undefined;
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
   * Plans that do only a part of what a failing run did, to be tried before all other smaller plans: the first that fails as well
   * is shrunk instead. Equal for equal runs. All are tried, however few runs shrinking may take. Default: none.
   */
  readonly partsOf?: ((run: Run) => Iterable<Plan>) | undefined;
  /**
   * How many other seeds judge each smaller plan that fails: one whose violation comes again much less often is not
   * taken. All in all they may take as many runs as shrinking. Default: 0.
   */
  readonly otherSeeds?: number | undefined;
  /**
   * Runs a plan. The signal aborts when the run is not wanted any more, because a plan before it failed. Undefined for a
   * run that was interrupted: the search ends, and the run does not count.
   */
  readonly execute: (plan: Plan, unwanted: AbortSignal) => Promise<Run | undefined>;
  /**
   * Tries a plan of the search. Its run may be of another plan, which is then shrunk instead; in simulation the same plan
   * always leads to the same one. Default: `execute`.
   */
  readonly attempt?: ((plan: Plan, unwanted: AbortSignal) => Promise<Run | undefined>) | undefined;
  /**
   * How many plans run at a time, besides those of shrinking. Everything that comes out is as if they ran one after
   * another. Default: 1.
   */
  readonly parallel?: number | undefined;
  /**
   * Is given each run that was begun, and is not wanted because a plan before it failed, or because another run of the plan
   * counts.
   */
  readonly onUnwanted?: ((run: Run) => void) | undefined;
  /**
   * Which plans are run, by the index of the run from 0: regressions first, then generated plans. The others are
   * skipped, so that the shards of a campaign together run the same plans as the undivided campaign. Ignored with
   * `path`.
   */
  readonly isMine?: ((position: number) => boolean) | undefined;
  /** Verdicts of plans, by position, that an interrupted part of this campaign has judged: they are not run again. */
  readonly known?: ReadonlyMap<number, Verdict["verdict"]> | undefined;
  /** Called after each run, in the order of the positions. */
  readonly onRun?: ((run: Run, count: RunCount) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which run it was. */
export interface RunCount {
  /** Runs so far, without those of shrinking. */
  readonly done: number;
  readonly shrinking: boolean;
  /** Whether its plan was drawn at random, so that it stands for others. */
  readonly drawn: boolean;
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
  /** Plans that were tried. */
  readonly runs: number;
  /** Further runs of plans that were retargeted. */
  readonly furtherRuns: number;
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
  if (options.path === undefined) await search.tryAll();
  const from = options.path ?? search.pathOfFailing;
  return search.result(from === undefined ? undefined : await search.shrink(from));
}

/** A plan to try. */
interface Trial {
  readonly position: number;
  readonly plan: Plan;
}

/** The runs of one campaign so far. */
class Search<Run extends Judged> {
  readonly #options: CampaignOptions<Run>;
  readonly #deadline: number;
  /** Whether a plan, as text, held; only for plans run since the first failure. */
  readonly #judged = new Map<string, boolean>();
  /** Of the plan that was taken last, without those of shrinking. */
  #position = 0;
  #runs = 0;
  #furtherRuns = 0;
  #valid = 0;
  #unknown = 0;
  #shrinks = 0;
  #failing: Run | undefined;
  /** The plan that was run instead of the one that failed, if another was. */
  #standIn: Plan | undefined;
  readonly #recurrences: ComparedRecurrences<Run>;
  #cutShort = false;

  constructor(options: CampaignOptions<Run>) {
    this.#options = options;
    const otherSeeds = options.shrinkRuns === 0 ? 0 : options.otherSeeds;
    this.#recurrences = new ComparedRecurrences((plan) => this.#execute(plan), otherSeeds);
    this.#deadline = options.budgetMs === undefined ? Infinity : performance.now() + options.budgetMs;
  }

  /**
   * Runs regressions and generated plans until one is judged invalid.
   * @throws what a run threw
   */
  async tryAll(): Promise<void> {
    const { plans, regressions = [], first = [], seed, runs: most, isMine, known, parallel = 1 } = this.#options;
    const runs = new RunsInOrder<Trial, Run | Verdict["verdict"] | undefined>({
      parallel,
      run: ({ position, plan }, unwanted) => {
        const verdict = known?.get(position);
        // A failing plan has to run again: its run is needed, and shrinking begins with it.
        const isKnown = verdict !== undefined && verdict !== "invalid";
        const { execute, attempt = execute } = this.#options;
        return isKnown ? Promise.resolve(verdict) : attempt(plan, unwanted);
      },
      take: (trial, run) => this.#take(trial, run),
      drop: (run) => {
        if (typeof run === "object") this.#options.onUnwanted?.(run);
      },
    });
    let next = 0;
    /** Begins to run a plan, unless it belongs to another shard; false when no further run may begin. */
    const tries = async (plan: Plan): Promise<boolean> => {
      const position = next++;
      if (isMine?.(position) === false) return !this.#isStopped();
      if (!(await runs.room()) || this.#isStopped()) return false;
      runs.begin({ position, plan });
      return true;
    };
    const property = fc.asyncProperty(plans, async (plan) => {
      // Ends the whole check, however many runs are left.
      if (!(await tries(plan))) throw new PreconditionFailure(true);
    });
    try {
      for (const plan of regressions) if (!(await tries(plan))) return;
      let left = most;
      for (const plan of Iterator.from(first).take(most)) {
        if (!(await tries(plan))) return;
        left -= 1;
      }
      if (left > 0) await fc.check(property, { seed, numRuns: left });
    } finally {
      await runs.end();
    }
  }

  /** How fast-check comes to the plan at a path: one of the first plans is an example, the others are drawn. */
  #way(path: string): { readonly path: string; readonly numRuns: number; readonly examples?: [Plan][] } {
    const { first = [], runs } = this.#options;
    const [head = "0", ...steps] = path.split(":");
    const plan = this.#standIn ?? first.at(Number(head));
    if (plan !== undefined) return { path: ["0", ...steps].join(":"), numRuns: 1, examples: [[plan]] };
    return { path: [Number(head) - first.length, ...steps].join(":"), numRuns: runs };
  }

  /** Where fast-check finds the plan that failed; undefined when none did, or a regression, which is not shrunk. */
  get pathOfFailing(): string | undefined {
    const drawn = this.#position - (this.#options.regressions?.length ?? 0);
    return this.#failing === undefined || drawn < 0 ? undefined : String(drawn);
  }

  /**
   * Goes to the plan at a path, and shrinks it if it is judged invalid. Returns the path of the smallest.
   * @throws what a run threw
   */
  async shrink(path: string): Promise<string | undefined> {
    const { plans, seed } = this.#options;
    let broken: { readonly error: unknown } | undefined;
    const [head = "0"] = path.split(":", 1);
    if (this.#failing === undefined) await this.#findStandIn(head);
    else if (!(await this.#compares(this.#failing))) return head;
    const property = fc.asyncProperty(plans, async (plan) => {
      const known = this.#judged.get(JSON.stringify(plan));
      if (known !== undefined) return known;
      // After the plan at a path that was asked for, if it holds, fast-check would go on with those beside it.
      const isElsewhere = this.#failing === undefined && this.#runs > 0;
      // Ends the whole check; a counterexample that was found is kept.
      if (broken !== undefined || isElsewhere || this.#isOver()) throw new PreconditionFailure(true);
      try {
        return await this.#holds(plan);
      } catch (error) {
        if (error instanceof PreconditionFailure) throw error;
        // Fast-check would take the error for a counterexample and shrink it.
        broken = { error };
        return true;
      }
    });
    const { counterexamplePath } = await fc.check(property, { seed, ...this.#way(path) });
    if (broken !== undefined) throw broken.error;
    if (counterexamplePath === null || counterexamplePath === undefined) return undefined;
    return [head, ...counterexamplePath.split(":").slice(1)].join(":");
  }

  /** Learns which plan stands for the one at a position, by trying it. */
  async #findStandIn(position: string): Promise<void> {
    const { plans, seed, attempt } = this.#options;
    if (attempt === undefined || this.#isStopped()) return;
    let tried: Plan | undefined;
    const property = fc.asyncProperty(plans, async (plan) => {
      tried = plan;
      throw new PreconditionFailure(true);
    });
    await fc.check(property, { seed, ...this.#way(position) });
    if (tried === undefined) return;
    const run = await attempt(tried, new AbortController().signal);
    const part = run?.verdict.verdict === "invalid" ? await this.#failingPart(run) : undefined;
    this.#noteStandIn(tried, part ?? run);
  }

  /**
   * The first run of a part of this failing run's plan that shows as much. `onRun`: is told each, and whether it does. Who goes to a
   * path may shrink nothing, and must come to the same part: all are tried.
   */
  async #failingPart(failing: Run, onRun?: (run: Run, fails: boolean) => void): Promise<Run | undefined> {
    for (const plan of this.#options.partsOf?.(failing) ?? []) {
      if (this.#isStopped()) return undefined;
      const run = await this.#execute(plan);
      const fails = run.verdict.verdict === "invalid" && this.#showsAsMuch(run, failing);
      onRun?.(run, fails);
      if (fails) return run;
    }
    return undefined;
  }

  #noteStandIn(tried: Plan, run: Run | undefined): void {
    if (run !== undefined && JSON.stringify(run.plan) !== JSON.stringify(tried)) this.#standIn = run.plan;
  }

  /** Counts a run, or a verdict that is known; false when it is the counterexample, or was interrupted. */
  #take({ position, plan }: Trial, run: Run | Verdict["verdict"] | undefined): boolean {
    if (run === undefined) {
      this.#cutShort = true;
      return false;
    }
    this.#position = position;
    if (typeof run === "string") {
      this.#count(run);
      return true;
    }
    const fails = run.verdict.verdict === "invalid";
    if (fails) this.#noteStandIn(plan, run);
    return this.#note(run, fails);
  }

  /** Runs a plan while shrinking, or the one at the path that was asked for; false when it was judged invalid. */
  async #holds(plan: Plan): Promise<boolean> {
    const run = await this.#execute(plan);
    const fails =
      run.verdict.verdict === "invalid" && this.#showsAsMuch(run) && (await this.#recurrences.lastsAsLong(run));
    return this.#note(run, fails);
  }

  #showsAsMuch(run: Run, before = this.#failing): boolean {
    return before === undefined || (saysAsMuch(run.verdict, before.verdict) && isAsPlain(run, before));
  }

  async #execute(plan: Plan): Promise<Run> {
    const run = await this.#options.execute(plan, new AbortController().signal);
    if (run !== undefined) return run;
    this.#cutShort = true;
    throw new PreconditionFailure(true);
  }

  #note(run: Run, fails: boolean): boolean {
    const shrinking = this.#failing !== undefined;
    if (shrinking) this.#shrinks += 1;
    else this.#count(run.verdict.verdict, run.runs);
    if (fails) this.#failing = run;
    // A long search keeps nothing: it hardly ever draws the same plan twice.
    if (this.#failing !== undefined) this.#judged.set(JSON.stringify(run.plan), !fails);
    const { regressions = [], first = [], onRun } = this.#options;
    const drawn = !shrinking && this.#position >= regressions.length + first.length;
    onRun?.(run, { done: this.#runs, shrinking, drawn, position: this.#position });
    return !fails;
  }

  /** Whether no further run of shrinking may begin. */
  #isOver(): boolean {
    return (
      (this.#failing !== undefined && Math.max(this.#shrinks, this.#recurrences.runs) >= this.#options.shrinkRuns) ||
      this.#isStopped()
    );
  }

  /** Whether the signal or the budget lets no further run begin. */
  #isStopped(): boolean {
    const stopped = this.#options.signal?.aborted === true || performance.now() > this.#deadline;
    if (stopped && this.#failing === undefined) this.#cutShort = true;
    return stopped;
  }

  /**
   * Goes to the part of the first failing run that fails by itself, if there is one, and counts how often its violation comes again,
   * with which smaller plans are compared; false when that was interrupted.
   */
  async #compares(first: Run): Promise<boolean> {
    try {
      const shrinks = this.#options.shrinkRuns > 0;
      const part = shrinks ? await this.#failingPart(first, (run, fails) => this.#note(run, fails)) : undefined;
      if (part !== undefined) this.#standIn = part.plan;
      await this.#recurrences.lastsAsLong(part ?? first);
      return true;
    } catch (error) {
      if (error instanceof PreconditionFailure) return false;
      throw error;
    }
  }

  #count(verdict: Verdict["verdict"], runs = 1): void {
    this.#runs += 1;
    this.#furtherRuns += runs - 1;
    if (verdict === "valid") this.#valid += 1;
    if (verdict === "unknown") this.#unknown += 1;
  }

  result(path: string | undefined): CampaignResult<Run> {
    const run = this.#failing;
    return {
      seed: this.#options.seed,
      runs: this.#runs,
      furtherRuns: this.#furtherRuns,
      valid: this.#valid,
      unknown: this.#unknown,
      // What was still in progress when no further run could begin may have found something.
      cutShort: this.#cutShort && run === undefined,
      counterexample: run && { run, shrinks: this.#shrinks, position: this.#position, path },
    };
  }
}
