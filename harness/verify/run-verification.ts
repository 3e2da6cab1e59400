// First: it patches the platform, and libraries keep functions of the platform when they are loaded.
import { keepSimulated, runSimulated, type SimulatedRun } from "../cli/run-simulated.ts";
import { faults } from "../../faults/registry.ts";
import type { LockDriver } from "../../lock-impl/driver.ts";
import { renderText } from "../../reports/text.ts";
import { contentionPlans, maxHoldShareFor } from "../../workloads/contention.ts";
import { keepRun } from "../cli/backend.ts";
import type { Verdict } from "../core/verdict.ts";
import { type CampaignResult, type Judged, runCampaign } from "../run/campaign.ts";
import { Regressions } from "../run/regressions.ts";
import type { Counterexample, Verification } from "./verify-options.ts";
import type { VerifySettings } from "./settings.ts";

type Run = SimulatedRun & Judged;

/** Columns of the picture in a failure: what fits where test runners indent it. */
const WIDTH = 100;

/**
 * Does it, in this process. Regressions run first, then generated plans until one breaks a required property, which is
 * shrunk and kept.
 * @param driver the lock, where it is not what `settings.lock` names
 */
export async function runVerification(
  settings: VerifySettings,
  { driver, signal }: { readonly driver?: LockDriver; readonly signal?: AbortSignal },
): Promise<Verification> {
  const { lock, topology, title, required, store, seed, path, replayCommand } = settings;
  const drawn = faults.filter(({ kind }) => settings.faults.includes(kind));
  const regressions = new Regressions(store);
  const result = await runCampaign<Run>({
    plans: contentionPlans({ lock, topology, faults: drawn, maxHoldShare: maxHoldShareFor(required), retries: true }),
    regressions: regressions
      .of(lock, topology.kind)
      .filter((plan) => plan.faults.every(({ kind }) => settings.faults.includes(kind))),
    seed,
    ...(path === undefined ? {} : { path }),
    runs: settings.runs,
    budgetMs: settings.budgetMs,
    shrinkRuns: settings.shrinkRuns,
    ...(signal === undefined ? {} : { signal }),
    execute: async (plan) => {
      const run = await runSimulated(plan, { title, required, ...(driver === undefined ? {} : { driver }) });
      const record = replayCommand === undefined ? run.record : { ...run.record, replayCommand };
      return { ...run, record, verdict: record.verdict };
    },
  });
  return conclude(result, regressions, store);
}

function conclude(
  { seed, runs, valid, unknown, cutShort, counterexample }: CampaignResult<Run>,
  regressions: Regressions,
  store: string,
): Verification {
  const counts = { seed, runs, valid, unknown, cutShort };
  if (counterexample === undefined) return counts;
  const { run, shrinks, path } = counterexample;
  const regression = regressions.keep(run.plan);
  const { record, folder } = keepRun({ ...run, keep: () => keepSimulated(run, store) });
  const found: Counterexample = {
    ...brokenBy(record.verdict),
    text: renderText({ ...record, verdict: ofRequired(record.verdict) }, { color: false, width: WIDTH }),
    ...(path === undefined ? {} : { path }),
    shrinks,
    folder,
    regression,
  };
  return { ...counts, counterexample: found };
}

/** What decides, and nothing beside it: the report has all. */
function ofRequired(verdict: Verdict): Verdict {
  const deciding = Object.entries(verdict.properties).filter(([property]) =>
    verdict.required.some((required) => required === property),
  );
  return { ...verdict, properties: Object.fromEntries(deciding) };
}

function brokenBy({ required, properties }: Verdict): Pick<Counterexample, "properties" | "causes"> {
  const broken = required.filter((property) => properties[property]?.verdict === "invalid");
  const violations = broken.flatMap((property) => properties[property]?.violations ?? []);
  return { properties: broken, causes: [...new Set(violations.map(({ cause }) => cause))] };
}
