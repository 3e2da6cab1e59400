import type { RunRecord } from "../../reports/run/run-record.ts";
import { type ContentionOptions, contentionPlans } from "../../workloads/contention.ts";
import type { Plan } from "../core/plan.ts";
import type { Verdict } from "../core/verdict.ts";
import { countedVerdict } from "./notes/counted-verdict.ts";
import { lasting } from "./recurrence/lasting.ts";
import { type CampaignOptions, type CampaignResult, type Judged, runCampaign } from "./run-campaign.ts";

/** How many other seeds judge a smaller plan: few, since many plans are tried. */
const SHRINKING_SEEDS = 5;

/** A run as the search counts it. */
export type Searched<Run> = Run & Judged;

export interface SearchOptions<Run> extends Omit<CampaignOptions<Searched<Run>>, "plans" | "execute" | "otherSeeds"> {
  /** The source of the plans. The same source with the same seed draws the same plans. */
  readonly drawnFrom: ContentionOptions;
  /** Runs a plan and judges it. The signal aborts when the run is not wanted any more. */
  readonly run: (plan: Plan, unwanted: AbortSignal) => Promise<Run>;
  /** Decides whether the search has found what it looks for. Default: the run's verdict, as campaigns count it. */
  readonly verdictOf?: ((run: Run) => Verdict) | undefined;
  /**
   * Whether the counterexample should last, so that it fails with other seeds too: smaller plans are judged by that, and
   * the smallest is given room at the end (`lasting`). For simulated runs. Default: false.
   */
  readonly lasts?: boolean | undefined;
  /** Called before each run that shows whether the counterexample lasts, with the number of such runs before. */
  readonly onOtherSeed?: ((before: number) => void) | undefined;
}

/**
 * Draws plans in which clients contend for a lock, runs them until one is judged invalid, and shrinks that one. Every search of this project uses it: hunts, cells of the ladder, verifications, limits of locks.
 * @throws what `run` throws
 */
export async function search<Run extends { readonly record: RunRecord }>({
  drawnFrom,
  run,
  verdictOf = ({ record }) => countedVerdict(record.verdict, record.history),
  lasts = false,
  onOtherSeed,
  ...options
}: SearchOptions<Run>): Promise<CampaignResult<Searched<Run>>> {
  const begun = performance.now();
  const never = new AbortController().signal;
  const execute = async (plan: Plan, unwanted: AbortSignal = never): Promise<Searched<Run>> => {
    const executed = await run(plan, unwanted);
    return { ...executed, plan, verdict: verdictOf(executed) };
  };
  const otherSeeds = lasts ? SHRINKING_SEEDS : 0;
  const result = await runCampaign<Searched<Run>>({
    ...options,
    otherSeeds,
    plans: contentionPlans(drawnFrom),
    execute: async (plan, unwanted) => {
      const executed = await execute(plan, unwanted);
      const isInterrupted = executed.record.history.end?.value.run === "interrupted";
      return isInterrupted && !unwanted.aborted ? undefined : executed;
    },
  });
  const { counterexample } = result;
  if (!lasts || counterexample === undefined) return result;
  const { signal, budgetMs = Infinity } = options;
  let tried = 0;
  const lastingRun = await lasting(counterexample.run, {
    execute,
    // A plan that was kept is tried as it is: a changed one would be kept beside it.
    ...(counterexample.path === undefined ? { runs: 0 } : {}),
    isOver: () => signal?.aborted === true || performance.now() - begun > budgetMs,
    onRun: () => onOtherSeed?.(tried++),
  });
  return { ...result, counterexample: { ...counterexample, ...lastingRun } };
}
