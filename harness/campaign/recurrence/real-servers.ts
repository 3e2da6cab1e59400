import { UserError } from "../../core/errors.ts";
import type { Recurrence, RecurrenceCount } from "../../core/recurrence.ts";
import { type ExecutedRun, executorOf, poolFor } from "../execute.ts";
import { countedVerdict } from "../notes/counted-verdict.ts";
import { goingOn } from "../real-time/going-on.ts";
import { refuseSimulatedFaults } from "../possible-faults.ts";
import type { Judged } from "../run-campaign.ts";
import type { CompleteEnvironment } from "../run-environment.ts";
import { countRecurrences } from "./count-recurrences.ts";

/** How often real servers run a counterexample. */
const REAL_RUNS = 3;

/** What is known of how often the violation of a counterexample comes again; asks real servers where that is wanted. */
export async function recurrenceOf(
  {
    run,
    otherSeeds,
    confirms,
  }: {
    readonly run: Judged & ExecutedRun;
    readonly otherSeeds?: RecurrenceCount | undefined;
    readonly confirms: boolean;
  },
  environment: CompleteEnvironment,
): Promise<Recurrence> {
  return {
    ...(otherSeeds === undefined ? {} : { otherSeeds }),
    ...(confirms ? await onRealServers(run, environment) : {}),
  };
}

/**
 * In how many of three runs on containers the violation of a run comes again, or why the plan cannot run there. Each run
 * is kept in the store.
 * @returns neither when the signal came first
 */
async function onRealServers(
  run: Judged,
  environment: CompleteEnvironment,
): Promise<Pick<Recurrence, "realServers" | "notOnRealServers">> {
  const { progress, signal } = environment;
  const { required } = run.verdict;
  const execute = goingOn(await executorOf("containers"));
  await using pool = await poolFor("containers");
  let runs = 0;
  try {
    refuseSimulatedFaults(run.plan);
    const failed = await countRecurrences(
      Array.from({ length: REAL_RUNS }, () => ({ plan: run.plan })),
      {
        run,
        execute: async (plan) => {
          const title = `on real servers, run ${(runs += 1)} of ${REAL_RUNS}`;
          const { record } = await execute(plan, { ...environment, title, required, pool, wire: true });
          const verdict = countedVerdict(record.verdict, record.history);
          progress.note(`${title}: ${verdict.verdict}`);
          return { plan, verdict };
        },
      },
    );
    return { realServers: { failed, of: REAL_RUNS } };
  } catch (error) {
    if (!signal.aborted && !(error instanceof UserError)) throw error;
    if (!(error instanceof UserError)) return {};
    progress.note(`not tried on real servers: ${error.message}; ${error.hint}`);
    return { notOnRealServers: error.message };
  }
}
