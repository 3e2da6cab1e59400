import { differences } from "../../../workloads/scenario-outcome.ts";
import { planOf, requiredOf, type Scenario, type Variant } from "../../../workloads/scenario.ts";
import { withWholeLeases } from "../../../workloads/whole-leases.ts";
import type { Property } from "../../core/verdict.ts";
import type { Backend } from "../../core/topologies/backend.ts";
import { describeWorker } from "../../external/describe-worker.ts";
import { findWorker } from "../../external/find-worker.ts";
import { executorOf, proven } from "../execute.ts";
import { keepRun, type KeptRun } from "../kept-run.ts";
import type { RunEnvironment } from "../run-environment.ts";
import { titleOf } from "./run-catalogue.ts";

export interface ReproduceOptions {
  readonly backend: Backend;
  /** The schedule, its control, or the schedule without its faults. Default: the schedule. */
  readonly variant?: Variant | undefined;
  /** A lock other than the scenario's own: a name, or the path of a driver. */
  readonly lock?: string | undefined;
  /** Default: 1. */
  readonly seed?: number | undefined;
  /** The properties that decide. Default: those that the catalogue names for the scenario. */
  readonly required?: readonly Property[] | undefined;
}

/** A scenario that was run, judged and kept, with its causes proven. */
export interface Reproduction extends KeptRun {
  /** How it differs from the catalogue; absent when another lock or other properties were asked for. */
  readonly differences?: readonly string[];
}

/**
 * Runs one scenario of the catalogue.
 * @throws UserError when it cannot run with this lock, or on this backend
 */
export async function reproduce(
  scenario: Scenario,
  { backend, variant = "schedule", lock, seed = 1, required }: ReproduceOptions,
  environment: RunEnvironment = {},
): Promise<Reproduction> {
  const { summary, says, source } = scenario;
  const execute = await executorOf(backend);
  const plan = planOf(scenario, { seed, variant, lock });
  const worker = findWorker(plan.lock);
  // A lock that counts in seconds has no lease of 800 ms: its run would decide nothing.
  const leases = worker === undefined ? 1 : (await describeWorker(worker)).ttlGranularityMs;
  const run = await proven(
    await execute(withWholeLeases(plan, leases), {
      ...environment,
      title: titleOf(scenario, variant),
      required: required ?? requiredOf(scenario, variant),
      wire: true,
    }),
  );
  const keep = (): KeptRun => {
    const { record, folder } = run.keep();
    return { folder, record: { ...record, about: { summary, says, source } } };
  };
  const kept = keepRun({ keep }, environment.drawRun);
  const isItsOwn = lock === undefined && required === undefined;
  return isItsOwn ? { ...kept, differences: differences(scenario, variant, run.record) } : kept;
}
