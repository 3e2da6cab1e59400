import { catalogue } from "../../../workloads/catalogue.ts";
import { planOf, requiredOf, type Variant } from "../../../workloads/scenario.ts";
import { runLive } from "../real-time/run-live.ts";

/** Runs a scenario of the catalogue with client processes on the simulated servers. */
export async function runScenario(store: string, slug: string, variant: Variant) {
  const scenario = catalogue.find((each) => each.slug === slug);
  if (scenario === undefined) throw new Error(`there is no scenario ${slug}`);
  const plan = planOf(scenario, { seed: 1, variant });
  const { record, folder } = await runLive(plan, { store, title: slug, required: requiredOf(scenario, variant) });
  return { scenario, record, folder };
}
