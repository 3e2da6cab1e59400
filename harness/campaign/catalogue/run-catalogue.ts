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
import { HarnessError } from "../../core/errors.ts";
import type { Property } from "../../core/verdict.ts";
import type { TableBackend } from "../../core/topologies/backend.ts";
import { type ExecutedRun, executorOf, poolFor, proven } from "../execute.ts";
import { keepRun } from "../kept-run.ts";
import { plansAtATime, progressOfRuns } from "../parallel/plans-at-a-time.ts";
import { RunsInOrder } from "../parallel/runs-in-order.ts";
import { type CompleteEnvironment, completeEnvironment, type RunEnvironment } from "../run-environment.ts";

/** How one variant of a scenario came out on one backend. */
export interface VariantOutcome {
  readonly scenario: Scenario;
  readonly variant: Variant;
  readonly backend: TableBackend;
  /** The outcome of each required property. */
  readonly found: readonly (readonly [Property, string])[];
  /** How it differs from the catalogue; empty when it came out as expected. */
  readonly differences: readonly string[];
  /** The folder of the run, where it was kept: a run that differs, or any run on containers. */
  readonly folder?: string;
}

export interface CatalogueOptions {
  readonly backends: readonly TableBackend[];
  /** Default: 1. */
  readonly seed?: number | undefined;
  /** How many runs at a time on containers. Default: by the machine's cores and memory. */
  readonly threads?: number | undefined;
}

/** A run of the catalogue: a scenario, its variant, and its backend. */
type CatalogueRun = Pick<VariantOutcome, "scenario" | "variant" | "backend">;

/** The variants of the scenarios to run, in order. */
export function catalogueRuns(backends: readonly TableBackend[]): readonly CatalogueRun[] {
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
 * @throws UserError before anything runs, when containers are asked for and there is no engine
 */
export async function runCatalogue(
  { backends, seed = 1, threads }: CatalogueOptions,
  surroundings: RunEnvironment = {},
): Promise<readonly VariantOutcome[]> {
  const environment = completeEnvironment(surroundings);
  if (backends.includes("containers")) {
    const { prepareEngineFor } = await import("../run-on-containers.ts");
    await prepareEngineFor(
      catalogueRuns(["containers"]).map(({ scenario, variant }) => planOf(scenario, { seed, variant }).topology),
      environment,
    );
  }
  const outcomes: VariantOutcome[] = [];
  for (const backend of backends) {
    const parallel = await plansAtATime(backend, threads, environment);
    for (const { run, ended } of await runAll(catalogueRuns([backend]), { seed, parallel, environment }))
      outcomes.push({ ...run, ...(await outcomeOf(run, ended, environment)) });
  }
  return outcomes;
}

/** The name of a variant in titles. */
export function titleOf({ slug }: Scenario, variant: Variant): string {
  return { schedule: slug, control: `${slug}, control`, "no-faults": `${slug} without faults` }[variant];
}

/** A run that is over, or the words of the error that broke it. */
type Ended = ExecutedRun | string;

/** Proofs and reports come later: they are computed in this process, while nothing runs that waits for it. */
async function runAll(
  runs: readonly CatalogueRun[],
  {
    seed,
    parallel,
    environment,
  }: { readonly seed: number; readonly parallel: number; readonly environment: CompleteEnvironment },
): Promise<readonly { readonly run: CatalogueRun; readonly ended: Ended }[]> {
  const { signal, progress } = environment;
  const backend = runs[0]?.backend ?? "simulated";
  const all: { readonly run: CatalogueRun; readonly ended: Ended }[] = [];
  const execute = await executorOf(backend);
  await using pool = await poolFor(backend, parallel);
  const ofRuns = { ...environment, pool, progress: progressOfRuns(progress, parallel) };
  const inOrder = new RunsInOrder<CatalogueRun, Ended>({
    parallel,
    run: ({ scenario, variant }) => {
      const title = titleOf(scenario, variant);
      const required = requiredOf(scenario, variant);
      return execute(planOf(scenario, { seed, variant }), { ...ofRuns, title, required }).catch((error: unknown) => {
        if (!(error instanceof HarnessError) || signal.aborted) throw error;
        return error.message;
      });
    },
    take: (run, ended) => all.push({ run, ended }) > 0,
  });
  for (const [index, run] of runs.entries()) {
    if (!(await inOrder.room()) || signal.aborted) break;
    progress.step(`${index + 1} of ${runs.length}: ${titleOf(run.scenario, run.variant)}, ${backend}`);
    inOrder.begin(run);
  }
  await inOrder.end();
  return all;
}

async function outcomeOf(
  { scenario, variant, backend }: CatalogueRun,
  ended: Ended,
  { drawRun }: CompleteEnvironment,
): Promise<Pick<VariantOutcome, "found" | "differences" | "folder">> {
  if (typeof ended === "string") return { found: [], differences: [`the harness failed: ${ended}`] };
  const { verdict } = ended.record;
  const required = requiredOf(scenario, variant);
  const found = required.map((property) => [property, foundOf(verdict, property)] as const);
  const differing = differences(scenario, variant, ended.record);
  if (differing.length === 0 && backend === "simulated") return { found, differences: [] };
  return { found, differences: differing, folder: keepRun(await proven(ended), drawRun).folder };
}
