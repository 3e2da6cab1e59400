import type { RunRecord } from "../../reports/run/run-record.ts";
import { type ContentionOptions, contentionPlans } from "../../workloads/contention.ts";
import { retargeted } from "../../workloads/deviations/retargeted.ts";
import type { Plan } from "../core/plan.ts";
import type { Delays } from "./recurrence/delays.ts";
import type { Verdict } from "../core/verdict.ts";
import { countedVerdict } from "./notes/counted-verdict.ts";
import { hopelessIn } from "./notes/hopeless.ts";
import { lasting } from "./recurrence/lasting.ts";
import { failingWorkloads } from "./recurrence/failing-workloads.ts";
import { type CampaignOptions, type CampaignResult, type Judged } from "./run-campaign.ts";
import { inTwoParts } from "./systematic/in-two-parts.ts";
import { inTurn } from "./systematic/in-turn.ts";
import { type PlansInOrder, PlansOnDemand } from "./systematic/on-demand.ts";
import { pairsOf } from "./systematic/pairs.ts";
import { SearchPlans } from "./systematic/search-plans.ts";
import { type Lesson, skillsOf, systematicPlans } from "./systematic/systematic-plans.ts";

/** How many other seeds judge a smaller plan: few, since many plans are tried. */
const SHRINKING_SEEDS = 5;

/** A run as the search counts it. */
export type Searched<Run> = Run & Judged;

export interface SearchOptions<Run> extends Omit<
  CampaignOptions<Searched<Run>>,
  "plans" | "first" | "execute" | "otherSeeds"
> {
  /** The source of the plans. The same source with the same seed draws the same plans. */
  readonly drawnFrom: ContentionOptions;
  /**
   * Runs a plan and judges it. The signal aborts when the run is not wanted any more. Delays are asked for only of
   * simulated runs, to see whether a counterexample lasts.
   */
  readonly run: (plan: Plan, unwanted: AbortSignal, delays?: Delays) => Promise<Run>;
  /**
   * Runs a plan without faults in simulation, to learn what the lock does: the search is then systematic first. Absent:
   * all plans are drawn at random.
   */
  readonly learn?: ((plan: Plan) => Promise<Lesson>) | undefined;
  /**
   * How much the lock promises in a run of the plan, as a number of properties: the systematic part leaves out plans
   * with 0, and prefers faults under which it promises more; of those drawn at random few have 0, in real time none as far
   * as possible. Default: the same of each plan.
   */
  readonly promises?: (plan: Plan) => number;
  /**
   * Whether every schedule with one deviation of the small workloads is run, however many there are: `runs` is then the
   * least. Default: false.
   */
  readonly complete?: boolean | undefined;
  /** Decides whether the search has found what it looks for. Default: the run's verdict, as campaigns count it. */
  readonly verdictOf?: ((run: Run) => Verdict) | undefined;
  /**
   * Whether the counterexample should last, so that it fails with other seeds too: smaller plans are judged by that, and
   * the smallest is given room at the end (`lasting`). For simulated runs. Default: false.
   */
  readonly lasts?: boolean | undefined;
  /** Whether clients run in real time, so that no run goes as another of the same plan. Default: false. */
  readonly inRealTime?: boolean | undefined;
  /** Called before each run that shows whether the counterexample lasts, with the number of such runs before. */
  readonly onOtherSeed?: ((before: number) => void) | undefined;
}

/**
 * The most plans of the systematic part: without a deviation or with one, and then with two. What is left of a search is
 * drawn at random: a combination that nobody thought of, or a third client. They do not depend on the number of runs, so
 * that a position means the same plan in each search.
 */
const SINGLE_PLANS = 400;
const PAIRED_PLANS = 200;
/** After so many of them, those with one deviation and those with two come in turn: the most telling of each are still ahead. */
const BEFORE_PAIRS = 200;

/** Of so many plans drawn at random in simulation under whose faults the lock promises nothing, one runs all the same. */
const OTHERS = 20;

/** The outcome of a search. */
export interface SearchResult<Run extends Judged> extends CampaignResult<Run> {
  /** How many of the first plans are schedules with one deviation. */
  readonly singlesAmong: (plans: number) => number;
  /** How many schedules with one deviation the small workloads have; 0 if none were learned. */
  readonly countSingles: () => number;
}

/**
 * Runs plans in which clients contend for a lock, until one is judged invalid, and shrinks that one:
 * small workloads first, then the same with one deviation each, then with one or two in turn, then plans drawn at random. Every search of this project
 * uses it: hunts, cells of the ladder, verifications, limits of locks.
 * @throws what `run` and `learn` throw
 */
export async function search<Run extends { readonly record: RunRecord }>({
  drawnFrom,
  run,
  learn,
  promises = () => 1,
  complete = false,
  verdictOf = ({ record }) => countedVerdict(record.verdict, record.history),
  lasts = false,
  inRealTime = false,
  onOtherSeed,
  ...options
}: SearchOptions<Run>): Promise<SearchResult<Searched<Run>>> {
  const begun = performance.now();
  const isOver = (): boolean => performance.now() - begun > (options.budgetMs ?? Infinity);
  const { onUnwanted, signal } = options;
  const runs = new SearchedRuns({ run, verdictOf, inRealTime, promises, isOver, onUnwanted, signal });
  const otherSeeds = lasts ? SHRINKING_SEEDS : 0;
  const { first, workloads, reenters, answersTwice, commands, pairs, countSingles } = await systematicPart(
    { drawnFrom, learn, promises, complete },
    options,
  );
  // Those that a complete search tries come before all others.
  const early = complete ? first : new PlansOnDemand(first, Math.min(BEFORE_PAIRS, first.length));
  const inOrder: Plan[] = [];
  const later = async (): Promise<readonly Plan[]> => {
    const queues = [Iterator.from(first).drop(early.length), (await pairs()).values()];
    inOrder.push(...inTurn(queues.map((plans) => ({ plans, share: 1 }))));
    return inOrder;
  };
  const singlesAmong = (plans: number): number =>
    [...Iterator.from(early).take(plans), ...inOrder.slice(0, Math.max(0, plans - early.length))].reduce(
      (sum, plan) => sum + (plan.faults.length === 1 && !workloads.has(plan) ? 1 : 0),
      0,
    );
  const campaign = await inTwoParts<Searched<Run>>(
    {
      ...options,
      runs: complete ? Math.max(options.runs, first.length) : options.runs,
      otherSeeds,
      // In real time no run goes as another, and each costs seconds.
      partsOf: inRealTime ? undefined : failingWorkloads,
      first: early,
      plans: new SearchPlans(contentionPlans({ ...drawnFrom, reenters, answersTwice, commands }), {
        isPreferred: (plan) => promises(plan) > 0,
        // In real time a run that can decide nothing costs seconds. In simulation a few show what else breaks.
        oneOtherIn: inRealTime ? undefined : OTHERS,
      }),
      execute: (plan, unwanted) => runs.uninterrupted(plan, unwanted),
      attempt: (plan, unwanted) => runs.aimed(plan, unwanted),
    },
    later,
  );
  const result = { ...campaign, singlesAmong, countSingles };
  const { counterexample } = result;
  if (!lasts || counterexample === undefined) return result;
  let tried = 0;
  const counting = lasting(counterexample.run, {
    execute: (plan, delays) => runs.execute(plan, new AbortController().signal, delays),
    // A plan that was kept is tried as it is: a changed one would be kept beside it.
    runs: counterexample.path === undefined ? 0 : undefined,
    isOver: () => signal?.aborted === true || isOver(),
    onRun: () => onOtherSeed?.(tried++),
  });
  return { ...result, counterexample: { ...counterexample, ...(await interruptible(signal, counting)) } };
}

/** What was promised; undefined when the signal came first. @throws what failed by itself */
async function interruptible<T>(signal: AbortSignal | undefined, promised: Promise<T>): Promise<T | undefined> {
  try {
    return await promised;
  } catch (error) {
    if (signal?.aborted === true) return undefined;
    throw error;
  }
}

/** How a search runs a plan. */
interface RunningOptions<Run> extends Pick<CampaignOptions<Searched<Run>>, "onUnwanted" | "signal"> {
  readonly run: SearchOptions<Run>["run"];
  readonly verdictOf: (run: Run) => Verdict;
  readonly inRealTime: boolean;
  readonly promises: (plan: Plan) => number;
  /** Whether no new run may begin. */
  readonly isOver: () => boolean;
}

/** The most runs of a plan of which none decides anything. */
const MOST_RUNS = 2;
const MOST_REAL_RUNS = 3;

/** The runs of a search. */
class SearchedRuns<Run extends { readonly record: RunRecord }> {
  readonly #options: RunningOptions<Run>;

  constructor(options: RunningOptions<Run>) {
    this.#options = options;
  }

  async execute(plan: Plan, unwanted: AbortSignal, delays?: Delays): Promise<Searched<Run>> {
    const executed = await this.#options.run(plan, unwanted, delays);
    return { ...executed, plan, verdict: this.#options.verdictOf(executed) };
  }

  /** The run; undefined when it was interrupted. */
  async uninterrupted(plan: Plan, unwanted: AbortSignal): Promise<Searched<Run> | undefined> {
    const executed = await interruptible(this.#options.signal, this.execute(plan, unwanted));
    if (executed === undefined) return undefined;
    const isInterrupted = executed.record.history.end?.value.run === "interrupted";
    return isInterrupted && !unwanted.aborted ? undefined : executed;
  }

  /**
   * The run; or, if it decides nothing, that of the same plan aimed at what happened in it. In simulation another run does the
   * same; in real time another run of the very same plan may decide too, unless the driver got nothing right.
   */
  async aimed(plan: Plan, unwanted: AbortSignal): Promise<Searched<Run> | undefined> {
    const { inRealTime, promises, isOver, onUnwanted } = this.#options;
    const mostReal = promises(plan) === 0 ? 1 : MOST_REAL_RUNS;
    const most = inRealTime ? mostReal : MOST_RUNS;
    let latest = await this.uninterrupted(plan, unwanted);
    if (latest === undefined) return undefined;
    let kept = latest;
    let runs = 1;
    while (kept.verdict.verdict === "unknown" && runs < most && !unwanted.aborted && !isOver()) {
      const { history } = latest.record;
      const why = hopelessIn(history, latest.verdict);
      const mayDecide = inRealTime && (why === undefined || why === "perhaps");
      const better = retargeted(latest.plan, history) ?? (mayDecide ? latest.plan : undefined);
      if (better === undefined) break;
      latest = await this.uninterrupted(better, unwanted);
      if (latest === undefined) return undefined;
      runs += 1;
      const [taken, other]: [Searched<Run>, Searched<Run>] =
        latest.verdict.verdict === "unknown" ? [kept, latest] : [latest, kept];
      onUnwanted?.(other);
      kept = taken;
    }
    return runs === 1 ? kept : { ...kept, runs };
  }
}

/** What a search tries before it draws plans at random. */
interface SystematicPlans extends Pick<ContentionOptions, "commands" | "answersTwice"> {
  /** Without a deviation, and with one. */
  readonly first: PlansInOrder;
  /** Of which some have a fault of their own. */
  readonly workloads: ReadonlySet<Plan>;
  /** With two deviations, to be tried after those. */
  readonly pairs: () => Promise<readonly Plan[]>;
  readonly reenters: boolean;
  /** Counts the schedules with one deviation that there are. */
  readonly countSingles: () => number;
}

/** The plans of the systematic part, what else the lock lets its clients do, and what they send. */
async function systematicPart<Run>(
  {
    drawnFrom,
    learn,
    promises,
    complete,
  }: Required<Pick<SearchOptions<Run>, "drawnFrom" | "promises" | "complete">> & Pick<SearchOptions<Run>, "learn">,
  { seed, signal }: Pick<SearchOptions<Run>, "seed" | "signal">,
): Promise<SystematicPlans> {
  const unlearned = {
    first: [],
    workloads: new Set<Plan>(),
    pairs: async () => [],
    reenters: drawnFrom.reenters ?? false,
    countSingles: () => 0,
  };
  const isOver = (): boolean => signal?.aborted === true;
  if (learn === undefined || isOver()) return unlearned;
  try {
    const skills = await skillsOf({ drawnFrom, seed, learn });
    if (skills.grants === false) return unlearned;
    const { plans, commands, bases, workloads, countSingles } = await systematicPlans({
      drawnFrom,
      seed,
      learn,
      skills,
      promises,
      most: complete ? "all" : SINGLE_PLANS,
    });
    return {
      first: plans,
      workloads,
      commands,
      countSingles,
      reenters: skills.reenters || unlearned.reenters,
      answersTwice: skills.answersTwice,
      pairs: () => pairsOf({ bases, faults: drawnFrom.faults, learn, promises, most: PAIRED_PLANS }),
    };
  } catch (error) {
    // The campaign says by itself that it was cut short.
    if (isOver()) return unlearned;
    throw error;
  }
}
