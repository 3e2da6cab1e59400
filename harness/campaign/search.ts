import type { RunRecord } from "../../reports/run/run-record.ts";
import { type ContentionOptions, contentionPlans } from "../../workloads/contention.ts";
import type { Plan } from "../core/plan.ts";
import type { Verdict } from "../core/verdict.ts";
import { countedVerdict } from "./notes/counted-verdict.ts";
import { type CampaignOptions, type CampaignResult, type Judged, runCampaign } from "./run-campaign.ts";

/** A run as the search counts it. */
export type Searched<Run> = Run & Judged;

export interface SearchOptions<Run> extends Omit<CampaignOptions<Searched<Run>>, "plans" | "execute"> {
  /** The source of the plans. The same source with the same seed draws the same plans. */
  readonly drawnFrom: ContentionOptions;
  /** Runs a plan and judges it. */
  readonly run: (plan: Plan) => Promise<Run>;
  /** Decides whether the search has found what it looks for. Default: the run's verdict, as campaigns count it. */
  readonly verdictOf?: ((run: Run) => Verdict) | undefined;
}

/**
 * Draws plans in which clients contend for a lock, runs them one after another until one is judged invalid, and shrinks
 * that one. Every search of this project uses it: hunts, cells of the ladder, verifications, limits of locks.
 * @throws what `run` throws
 */
export function search<Run extends { readonly record: RunRecord }>({
  drawnFrom,
  run,
  verdictOf = ({ record }) => countedVerdict(record.verdict, record.history),
  ...options
}: SearchOptions<Run>): Promise<CampaignResult<Searched<Run>>> {
  return runCampaign<Searched<Run>>({
    ...options,
    plans: contentionPlans(drawnFrom),
    execute: async (plan) => {
      const executed = await run(plan);
      return { ...executed, plan, verdict: verdictOf(executed) };
    },
  });
}
