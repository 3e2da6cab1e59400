import { faults } from "../../faults/registry.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import { kindOf } from "../../faults/fault-classes.ts";
import type { Lesson, LockEntry } from "../../lock-impl/lock-entry.ts";
import { BEYOND_LEASE } from "../../workloads/contention.ts";
import type { Plan } from "../core/plan.ts";
import type { Delays } from "./recurrence/delays.ts";
import { topologySchema } from "../core/topology.ts";
import { type Property, PROPERTIES, type Verdict } from "../core/verdict.ts";
import { learnSimulated } from "./systematic/learn.ts";
import type { CampaignResult, Judged } from "./run-campaign.ts";
import { requiredProperties } from "./required-properties.ts";
import { runSimulated, type SimulatedRun } from "./run-simulated.ts";
import { search } from "./search.ts";

/** Within this many plans, each flawed lock is caught. */
export const DETECTION_RUNS = 1500;

type ShownLimit = Lesson["shows"];
export type LimitRun = SimulatedRun & Judged;

export interface LimitSearch {
  readonly seed: number;
  /** How many plans to try. */
  readonly runs: number;
  readonly shrinkRuns: number;
  /** Whether the counterexample should fail with other seeds too. Default: false. */
  readonly lasts?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each run. */
  readonly onRun?: ((run: LimitRun) => void) | undefined;
}

/** Searches, in simulation, for the shortest plan in which the lock shows its limit. */
export function searchLimit(
  lock: LockEntry,
  limit: ShownLimit,
  { seed, runs, shrinkRuns, lasts, signal, onRun }: LimitSearch,
): Promise<CampaignResult<LimitRun>> {
  const kind = kindOf(limit.under);
  return search<LimitRun>({
    seed,
    runs,
    shrinkRuns,
    lasts,
    signal,
    onRun,
    learn: learnSimulated({ signal }),
    drawnFrom: {
      lock: lock.name,
      topology: topologyOfLimit(lock, limit),
      faults: faults.filter((fault) => fault.kind === kind),
      maxHoldShare: BEYOND_LEASE,
      reenters: lock.reentrant === true,
      supports: lock.supports,
    },
    run: (plan, _unwanted, delays) => runForLimit(lock, limit, plan, { delays }),
    verdictOf: ({ verdict }) => verdict,
  });
}

/** Runs a plan in simulation and judges it by the limit. */
export async function runForLimit(
  lock: LockEntry,
  limit: ShownLimit,
  plan: Plan,
  { wire = false, delays }: { readonly wire?: boolean; readonly delays?: Delays | undefined } = {},
): Promise<LimitRun> {
  const run = await runSimulated(plan, { ...optionsForLimit(lock, limit, plan), wire, delays });
  return { ...run, verdict: verdictByLimit(lock, limit, run) };
}

/** How a plan is run so that `verdictByLimit` can judge it, on any backend. */
export function optionsForLimit(
  lock: LockEntry,
  limit: ShownLimit,
  plan: Plan,
): { readonly title: string; readonly required: readonly Property[] } {
  const sold: readonly string[] = lock.flawed ? requiredProperties(plan) : [];
  const required = PROPERTIES.filter((property) => property === limit.property || sold.includes(property));
  return { title: titleOf(lock, limit), required };
}

/**
 * The verdict is invalid when the limit shows: when its property is violated by the cause that the limit names. For a
 * flawed lock, any violated property counts that the lock would keep under these faults without the bug.
 */
export function verdictByLimit(
  lock: LockEntry,
  limit: ShownLimit,
  { record }: { readonly record: RunRecord },
): Verdict {
  return lock.flawed ? record.verdict : byItsCause(lock, limit, record.verdict);
}

/** A sound lock's violation by another cause than its limit names belongs to another limit. */
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
    reasons: [...verdict.reasons, `${property} failed by another cause: ${first.cause}`],
  };
}

/** The violated properties of a run, among those that decide. */
export function lostProperties({ verdict }: Judged): readonly Property[] {
  return verdict.required.filter((property) => verdict.properties[property]?.verdict === "invalid");
}

function titleOf({ name }: LockEntry, { under }: ShownLimit): string {
  return `${name} ${under === "none" ? "without a fault" : `under ${under}`}`;
}

function topologyOfLimit({ persistence }: LockEntry, { topology }: ShownLimit) {
  return topologySchema.parse({ kind: topology, persistence });
}
