import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executorOf, poolFor } from "../../harness/campaign/execute.ts";
import { type LimitRun, optionsForLimit, verdictByLimit } from "../../harness/campaign/limit-search.ts";
import { countRecurrences } from "../../harness/campaign/recurrence/count-recurrences.ts";
import { refuseSimulatedFaults } from "../../harness/campaign/possible-faults.ts";
import type { Judged } from "../../harness/campaign/run-campaign.ts";
import { UserError } from "../../harness/core/errors.ts";
import type { Plan } from "../../harness/core/plan.ts";
import type { RecurrenceCount } from "../../harness/core/recurrence.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";

/** How often real servers run a counterexample. */
const REAL_RUNS = 3;

/**
 * Counts in how many runs on real servers the violation of a lock's counterexample comes again; undefined when its plan
 * asks for what only the simulation has.
 */
export type CountOnRealServers = (lock: LockEntry, run: LimitRun) => Promise<RecurrenceCount | undefined>;

/** Calls `work` with servers in containers, which end with it. The runs are not kept. */
export async function withRealServers<T>(work: (count: CountOnRealServers) => Promise<T>): Promise<T> {
  const execute = await executorOf("containers");
  const store = mkdtempSync(join(tmpdir(), "lockstorm-real-servers-"));
  await using pool = await poolFor("containers");
  try {
    return await work(async (lock, run) => {
      const { shows } = lock.lesson;
      const onRealServers = async (plan: Plan): Promise<Judged> => {
        const executed = await execute(plan, { ...optionsForLimit(lock, shows, plan), store, pool });
        return { plan, verdict: verdictByLimit(lock, shows, executed) };
      };
      try {
        refuseSimulatedFaults(run.plan);
        const plans = Array.from({ length: REAL_RUNS }, () => ({ plan: run.plan }));
        return { failed: await countRecurrences(plans, { run, execute: onRealServers }), of: REAL_RUNS };
      } catch (error) {
        if (error instanceof UserError) return undefined;
        throw error;
      }
    });
  } finally {
    rmSync(store, { recursive: true });
  }
}
