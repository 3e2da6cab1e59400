import type { Plan } from "../../core/plan.ts";
import { type CampaignOptions, type CampaignResult, type Judged, runCampaign } from "../run-campaign.ts";

/**
 * A campaign whose first plans come in two parts, as if it were one. Those of the second part take longer to make than most
 * campaigns last, so they are made only when those of the first part have found nothing. Every position means the same plan
 * as if all had been there from the beginning.
 * @throws what `second` throws, unless the campaign was interrupted meanwhile
 */
export async function inTwoParts<Run extends Judged>(
  options: CampaignOptions<Run>,
  second: () => Promise<readonly Plan[]>,
): Promise<CampaignResult<Run>> {
  const { first = [], regressions = [], runs, path, budgetMs = Infinity, isMine, onRun, signal } = options;
  const begun = performance.now();
  const isInFirst = path !== undefined && Number(path.split(":", 1)[0]) < first.length;
  if (isInFirst || runs <= first.length) return runCampaign(options);
  if (path !== undefined || first.length === 0) {
    return runCampaign({ ...options, first: [...first, ...(await second())] });
  }
  const before = await runCampaign({ ...options, runs: first.length });
  if (before.counterexample !== undefined || before.cutShort) return before;
  let more: readonly Plan[];
  try {
    more = await second();
  } catch (error) {
    if (signal?.aborted === true) return { ...before, cutShort: true };
    throw error;
  }
  const tried = regressions.length + first.length;
  const after = await runCampaign({
    ...options,
    first: [...first, ...more],
    budgetMs: budgetMs - (performance.now() - begun),
    isMine: (position) => position >= tried && (isMine?.(position) ?? true),
    onRun: (run, count) => onRun?.(run, { ...count, done: before.runs + count.done }),
  });
  return {
    ...after,
    runs: before.runs + after.runs,
    furtherRuns: before.furtherRuns + after.furtherRuns,
    valid: before.valid + after.valid,
    unknown: before.unknown + after.unknown,
  };
}
