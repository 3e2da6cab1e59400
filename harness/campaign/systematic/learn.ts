// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "../run-simulated.ts";
import type { LockDriver } from "../../core/lock-driver.ts";
import type { Plan } from "../../core/plan.ts";
import type { Lesson } from "./systematic-plans.ts";

/** Runs plans in simulation for what they show of their lock, and judges nothing. */
export function learnSimulated({
  driver,
  signal,
}: { readonly driver?: LockDriver | undefined; readonly signal?: AbortSignal | undefined } = {}): (
  plan: Plan,
) => Promise<Lesson> {
  return async (plan) => {
    const options = { title: "learning", required: [], checkers: [], wire: true, driver, signal };
    const { record, messages } = await runSimulated(plan, options);
    return { history: record.history, messages, keys: record.wire?.keys ?? [] };
  };
}
