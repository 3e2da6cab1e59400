import { catalogue } from "../../../workloads/catalogue.ts";
import { differences, foundOf } from "../../../workloads/scenario-outcome.ts";
import {
  planOf,
  requiredOf,
  type Scenario,
  type Variant,
  variantsOf,
  whyNotOnContainers,
} from "../../../workloads/scenario.ts";
import type { ContainerPool } from "../../containers/container-pool.ts";
import { HarnessError } from "../../core/errors.ts";
import type { Property } from "../../core/verdict.ts";
import type { Backend } from "../backend.ts";
import { executorOf, poolFor, proven } from "../execute.ts";
import { keepRun } from "../kept-run.ts";
import { type CompleteEnvironment, completeEnvironment, type RunEnvironment } from "../run-environment.ts";

/** How one variant of a scenario came out on one backend. */
export interface VariantOutcome {
  readonly scenario: Scenario;
  readonly variant: Variant;
  readonly backend: Backend;
  /** The outcome of each required property. */
  readonly found: readonly (readonly [Property, string])[];
  /** How it differs from the catalogue; empty when it came out as expected. */
  readonly differences: readonly string[];
  /** The folder of the run, where it was kept: a run that differs, or any run on containers. */
  readonly folder?: string;
}

export interface CatalogueOptions {
  readonly backends: readonly Backend[];
  /** Default: 1. */
  readonly seed?: number | undefined;
}

/** A run of the catalogue: a scenario, its variant, and its backend. */
type CatalogueRun = Pick<VariantOutcome, "scenario" | "variant" | "backend">;

/** The variants of the scenarios to run, in order. */
export function catalogueRuns(backends: readonly Backend[]): readonly CatalogueRun[] {
  return backends.flatMap((backend) =>
    catalogue.flatMap((scenario) =>
      variantsOf(scenario)
        .filter((variant) => backend === "simulated" || whyNotOnContainers(scenario, variant) === undefined)
        .map((variant) => ({ scenario, variant, backend })),
    ),
  );
}

/**
 * Runs the whole catalogue: each scenario, its control, and the scenario without its faults. A run that fails because
 * of the harness counts as different from what is expected; the others go on. Ends early when the signal aborts.
 */
export async function runCatalogue(
  { backends, seed = 1 }: CatalogueOptions,
  surroundings: RunEnvironment = {},
): Promise<readonly VariantOutcome[]> {
  const environment = completeEnvironment(surroundings);
  const runs = catalogueRuns(backends);
  const outcomes: VariantOutcome[] = [];
  await using pool = await poolFor(backends.includes("containers") ? "containers" : "simulated");
  for (const [index, run] of runs.entries()) {
    if (environment.signal.aborted) break;
    const title = titleOf(run.scenario, run.variant);
    environment.progress.step(`${index + 1} of ${runs.length}: ${title}, ${run.backend}`);
    outcomes.push({ ...run, ...(await outcomeOf(run, seed, { environment, pool })) });
  }
  return outcomes;
}

/** The name of a variant in titles. */
export function titleOf({ slug }: Scenario, variant: Variant): string {
  return { schedule: slug, control: `${slug}, control`, "no-faults": `${slug} without faults` }[variant];
}

async function outcomeOf(
  { scenario, variant, backend }: CatalogueRun,
  seed: number,
  { environment, pool }: { readonly environment: CompleteEnvironment; readonly pool: ContainerPool | undefined },
): Promise<Pick<VariantOutcome, "found" | "differences" | "folder">> {
  const required = requiredOf(scenario, variant);
  const title = titleOf(scenario, variant);
  const execute = await executorOf(backend);
  try {
    const run = await execute(planOf(scenario, { seed, variant }), { ...environment, title, required, pool });
    const { verdict } = run.record;
    const found = required.map((property) => [property, foundOf(verdict, property)] as const);
    const differing = differences(scenario, variant, run.record);
    if (differing.length === 0 && backend === "simulated") return { found, differences: [] };
    return { found, differences: differing, folder: keepRun(await proven(run), environment.drawRun).folder };
  } catch (error) {
    if (!(error instanceof HarnessError) || environment.signal.aborted) throw error;
    return { found: [], differences: [`the harness failed: ${error.message}`] };
  }
}
