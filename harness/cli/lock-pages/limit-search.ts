import { faults } from "../../../faults/registry.ts";
import { DISK_LOSS } from "../../../lock-impl/claims.ts";
import type { Lesson, LockEntry } from "../../../lock-impl/lock-entry.ts";
import { BEYOND_LEASE, contentionPlans } from "../../../workloads/contention.ts";
import type { Plan } from "../../core/plan.ts";
import { topologySchema } from "../../core/topology.ts";
import { type Property, PROPERTIES, type Verdict } from "../../core/verdict.ts";
import { type CampaignResult, type Judged, runCampaign } from "../../run/campaign.ts";
import { requiredProperties } from "../claims.ts";
import { runSimulated, type SimulatedRun } from "../run-simulated.ts";

/** In so many plans each flawed lock is caught. */
export const DETECTION_RUNS = 1000;

type ShownLimit = Lesson["shows"];
export type LimitRun = SimulatedRun & Judged;

export interface LimitSearch {
  readonly seed: number;
  /** How many plans to try. */
  readonly runs: number;
  readonly shrinkRuns: number;
  readonly signal?: AbortSignal;
  /** Called after each run. */
  readonly onRun?: (run: LimitRun) => void;
}

/** Searches, in simulation, for the shortest plan in which the lock shows its limit. */
export function searchLimit(
  lock: LockEntry,
  limit: ShownLimit,
  { seed, runs, shrinkRuns, signal, onRun }: LimitSearch,
): Promise<CampaignResult<LimitRun>> {
  const kind = limit.under === DISK_LOSS ? "restart-node" : limit.under;
  return runCampaign<LimitRun>({
    seed,
    runs,
    shrinkRuns,
    plans: contentionPlans({
      lock: lock.name,
      topology: topologyOf(lock, limit),
      faults: faults.filter((fault) => fault.kind === kind),
      maxHoldShare: BEYOND_LEASE,
      reenters: lock.reentrant === true,
    }),
    execute: (plan) => runForLimit(lock, limit, plan),
    ...(signal === undefined ? {} : { signal }),
    ...(onRun === undefined ? {} : { onRun }),
  });
}

/**
 * Runs a plan in simulation. The verdict is invalid when the limit shows itself: when its property is lost, by the
 * cause that it names, or, of a flawed lock, when any is that it would keep under these faults if it had not its bug.
 */
export async function runForLimit(lock: LockEntry, limit: ShownLimit, plan: Plan): Promise<LimitRun> {
  const sold: readonly string[] = lock.flawed ? requiredProperties(plan) : [];
  const required = PROPERTIES.filter((property) => property === limit.property || sold.includes(property));
  const run = await runSimulated(plan, { title: titleOf(lock, limit), required });
  return { ...run, verdict: lock.flawed ? run.record.verdict : byItsCause(lock, limit, run.record.verdict) };
}

/** What a sound lock loses in another way than its limit says is another limit's. */
function byItsCause({ limits }: LockEntry, { property, topology, under }: ShownLimit, verdict: Verdict): Verdict {
  const causes = limits
    .filter((limit) => limit.property === property && limit.topology === topology && limit.under === under)
    .map(({ cause }) => cause);
  const [first] = PROPERTIES.filter((each) => each === property).flatMap(
    (each) => verdict.properties[each]?.violations ?? [],
  );
  if (first === undefined || causes.includes(first.cause)) return verdict;
  return {
    ...verdict,
    verdict: "unknown",
    reasons: [...verdict.reasons, `${property} was lost by another cause: ${first.cause}`],
  };
}

/** The properties of a run that were lost, of those that decide. */
export function lostProperties({ verdict }: Judged): readonly Property[] {
  return verdict.required.filter((property) => verdict.properties[property]?.verdict === "invalid");
}

function titleOf({ name }: LockEntry, { under }: ShownLimit): string {
  return `${name} ${under === "none" ? "without a fault" : `under ${under}`}`;
}

function topologyOf({ persistence }: LockEntry, { topology }: ShownLimit) {
  return topologySchema.parse({ kind: topology, ...(persistence === undefined ? {} : { persistence }) });
}
