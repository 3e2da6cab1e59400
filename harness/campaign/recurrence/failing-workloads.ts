import { ofOneWorkload } from "../../../workloads/deviations/smaller-plans.ts";
import type { RunRecord } from "../../../reports/run/run-record.ts";
import type { Plan } from "../../core/plan.ts";
import type { Judged } from "../run-campaign.ts";
import { withOtherSeeds } from "./variations.ts";
import { clientsInViolations } from "./violating-clients.ts";

/**
 * Of the workloads that a run had side by side, those that violated something, each alone: first all of them with the seed of the
 * run, then with other seeds, because alone its clients have other names, and so other random numbers. What is found first is
 * what fails most often. A shrinker that takes one client after another away seldom comes here: of dozens of workloads one
 * always fails, with any seed, and each single one seems to fail too seldom beside that.
 */
export function* failingWorkloads(run: Judged & { readonly record: RunRecord }): Generator<Plan> {
  const alone = ofOneWorkload(run.plan, clientsInViolations(run));
  yield* alone;
  const others = alone.map((plan) => withOtherSeeds(plan));
  for (const [index] of (others[0] ?? []).entries()) yield* others.flatMap((seeds) => seeds[index]?.plan ?? []);
}
