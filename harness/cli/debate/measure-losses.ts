import { headlinePlans } from "../../../workloads/headline.ts";
import { sumOfLosses, type UpdateLosses, updateLosses } from "../../check/update-losses.ts";
import { runSimulated } from "../run-simulated.ts";
import type { LossTask } from "./worker.ts";

/** Some minutes of one lock and one resource, in simulation. */
export async function measureLosses(task: LossTask): Promise<UpdateLosses> {
  const { contender, guard, ...span } = task;
  const losses: UpdateLosses[] = [];
  for (const plan of headlinePlans(contender, guard, span)) {
    // Long runs: what is not asked for is not judged.
    const { record } = await runSimulated(plan, { title: plan.lock, required: [], checkers: [] });
    losses.push(updateLosses(record.history));
  }
  return sumOfLosses(losses);
}
