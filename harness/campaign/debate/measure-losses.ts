import { headlinePlans } from "../../../workloads/headline.ts";
import { sumOfLosses, type UpdateLosses, updateLosses } from "../../check/properties/update-losses.ts";
import { runSimulated } from "../run-simulated.ts";
import type { LossTask } from "./worker.ts";

/** Some minutes of one lock and one resource, in simulation. */
export async function measureLosses(task: LossTask): Promise<UpdateLosses> {
  const { contender, guard, ...span } = task;
  const losses: UpdateLosses[] = [];
  for (const plan of headlinePlans(contender, guard, span)) {
    // The runs are long, so only the requested properties are judged.
    const { record } = await runSimulated(plan, { title: plan.lock, required: [], checkers: [] });
    losses.push(updateLosses(record.history));
  }
  return sumOfLosses(losses);
}
