import { type Execute, executedInRealTime } from "../execute.ts";
import { FailedRunError } from "./failed-run.ts";

/** One failure is the misfortune of one run. So many in a row are the machine's. */
const MOST_IN_A_ROW = 3;

/**
 * Runs the plans of a campaign: a run whose system failed is taken for what its history shows, which decides nothing unless a
 * violation was recorded before.
 * @returns an executor that throws what `execute` throws; failures of systems only when three runs in a row fail
 */
export function goingOn(execute: Execute): Execute {
  let failed = 0;
  return async (plan, options) => {
    try {
      const run = await execute(plan, options);
      failed = 0;
      return run;
    } catch (error) {
      if (!(error instanceof FailedRunError)) throw error;
      failed += 1;
      if (failed >= MOST_IN_A_ROW) throw error;
      options.progress?.note(`a run failed, and the next one begins: ${error.message}`);
      return executedInRealTime(error.run);
    }
  };
}
