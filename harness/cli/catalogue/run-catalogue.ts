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
import { type Backend, type Execute, executorOf, keepRun } from "../backend.ts";

/** How one variant of a scenario came out on one backend. */
export interface VariantOutcome {
  readonly scenario: Scenario;
  readonly variant: Variant;
  readonly backend: Backend;
  /** What was found of each required property. */
  readonly found: readonly (readonly [Property, string])[];
  /** How it differs from what the catalogue says; nothing when it came out as expected. */
  readonly differences: readonly string[];
  /** Where the run was kept: one that differs, or any on containers. */
  readonly folder?: string;
}

type ExecuteOptions = Parameters<Execute>[1];

export interface CatalogueOptions extends Omit<ExecuteOptions, "title" | "required"> {
  readonly backends: readonly Backend[];
  readonly seed: number;
}

/** Which variants of which scenarios there are to run, in order. */
export function catalogueRuns(
  backends: readonly Backend[],
): readonly Pick<VariantOutcome, "scenario" | "variant" | "backend">[] {
  return backends.flatMap((backend) =>
    catalogue.flatMap((scenario) =>
      variantsOf(scenario)
        .filter((variant) => backend === "simulated" || whyNotOnContainers(scenario, variant) === undefined)
        .map((variant) => ({ scenario, variant, backend })),
    ),
  );
}

/**
 * Runs the whole catalogue: each scenario, its control, and it without its faults. A run that the harness itself could not
 * bring to its end differs from what is expected; the others go on. Ends early when the signal aborts.
 */
export async function runCatalogue({
  backends,
  seed,
  ...options
}: CatalogueOptions): Promise<readonly VariantOutcome[]> {
  const runs = catalogueRuns(backends);
  const outcomes: VariantOutcome[] = [];
  await using pool = backends.includes("containers") ? await containerPool() : undefined;
  for (const [index, run] of runs.entries()) {
    if (options.signal.aborted) break;
    const title = titleOf(run.scenario, run.variant);
    options.progress.step(`${index + 1} of ${runs.length}: ${title}, ${run.backend}`);
    const kept = pool === undefined ? {} : { pool };
    outcomes.push({ ...run, ...(await outcomeOf(run, seed, { ...options, ...kept, title })) });
  }
  return outcomes;
}

/** Servers kept between runs. Loaded only now: containers need many modules. */
async function containerPool(): Promise<ContainerPool> {
  const containers = await import("../../containers/container-pool.ts");
  return new containers.ContainerPool();
}

/** What a variant is called in titles. */
export function titleOf({ slug }: Scenario, variant: Variant): string {
  return { schedule: slug, control: `${slug}, control`, "no-faults": `${slug} without faults` }[variant];
}

async function outcomeOf(
  { scenario, variant, backend }: Pick<VariantOutcome, "scenario" | "variant" | "backend">,
  seed: number,
  options: Omit<ExecuteOptions, "required">,
): Promise<Pick<VariantOutcome, "found" | "differences" | "folder">> {
  const required = requiredOf(scenario, variant);
  const execute = await executorOf(backend);
  try {
    const run = await execute(planOf(scenario, { seed, variant }), { ...options, required });
    const { verdict } = run.record;
    const found = required.map((property) => [property, foundOf(verdict, property)] as const);
    const differing = differences(scenario, variant, run.record);
    if (differing.length === 0 && backend === "simulated") return { found, differences: [] };
    return { found, differences: differing, folder: keepRun(run).folder };
  } catch (error) {
    if (!(error instanceof HarnessError) || options.signal.aborted) throw error;
    return { found: [], differences: [`the harness failed: ${error.message}`] };
  }
}
