import { catalogue } from "../../../../workloads/catalogue.ts";
import { contentionPlans } from "../../../../workloads/contention.ts";
import { planOf } from "../../../../workloads/scenario.ts";
import type { Plan } from "../../../core/plan.ts";
import { topologySchema } from "../../../core/topology.ts";
import { runSimulated } from "./simulated-run.ts";

const fc = (await import("fast-check")).default;
const { faults } = await import("../../../../faults/registry.ts");

const KINDS = [
  ["single", "fenced"],
  ["sentinel", "replicated"],
  ["redlock", "redlock"],
] as const;

const SCENARIOS = ["pause-past-lease", "async-failover", "node-clock-jump"];

/** Plans of every topology: of the catalogue, and drawn ones with several faults. */
export function plansToRepeat(): readonly (readonly [name: string, Plan])[] {
  return [
    ...catalogue
      .filter(({ slug }) => SCENARIOS.includes(slug))
      .map((scenario) => [scenario.slug, planOf(scenario, { seed: 7 })] as const),
    ...KINDS.flatMap(([kind, lock]) => {
      const plans = contentionPlans({
        lock,
        topology: topologySchema.parse({ kind, persistence: "everysec" }),
        faults,
      });
      const drawn = fc.sample(plans, { seed: 11, numRuns: 20 }).filter((plan) => plan.faults.length > 1);
      return drawn.slice(0, 1).map((plan) => [`${lock} on ${kind}, drawn`, plan] as const);
    }),
  ];
}

/** The distinct hashes of `times` runs of a plan. */
export async function hashesOf(plan: Plan, times: number): Promise<readonly string[]> {
  const hashes = new Set<string>();
  for (let run = 0; run < times; run += 1) hashes.add((await runSimulated(plan)).traceHash);
  return [...hashes];
}

/** Run as a program, prints each plan's hash. */
if (import.meta.main) {
  for (const [name, plan] of plansToRepeat()) {
    process.stdout.write(`${JSON.stringify([name, (await runSimulated(plan)).traceHash])}\n`);
  }
  process.exit(0);
}
