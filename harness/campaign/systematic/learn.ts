// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "../run-simulated.ts";
import type { LockDriver } from "../../core/lock-driver.ts";
import type { Plan } from "../../core/plan.ts";
import type { Lesson } from "./systematic-plans.ts";

/** More than the small workloads of a lock. */
const REMEMBERED_LESSONS = 50;

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

/**
 * The same, with the lessons of the latest plans remembered: cells of a table that differ only in the fault learn from the
 * same plans.
 * @param most how many lessons are remembered
 */
export function remembering(
  learn: (plan: Plan) => Promise<Lesson>,
  most = REMEMBERED_LESSONS,
): (plan: Plan) => Promise<Lesson> {
  const lessons = new Map<string, Promise<Lesson>>();
  return (plan) => {
    const name = JSON.stringify(plan);
    const lesson = lessons.get(name) ?? learn(plan);
    lessons.delete(name);
    lessons.set(name, lesson);
    const [oldest] = lessons.keys();
    if (lessons.size > most && oldest !== undefined) lessons.delete(oldest);
    return lesson;
  };
}
