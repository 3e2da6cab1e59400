import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../harness/core/plan.ts";
import type { Cause, Property } from "../harness/core/verdict.ts";

/**
 * A schedule that breaks a lock, or that must not, as data. Its clients hang only on each other's operations, never on
 * a fault, so that the same plan runs to its end without its faults.
 */
export interface Scenario {
  /** Its public name: `async-failover`. */
  readonly slug: string;
  /** What happens, in one line. */
  readonly title: string;
  readonly source: { readonly name: string; readonly link: string };
  /** What happens and why the lock permits it, in a paragraph. */
  readonly summary: string;
  readonly plan: Omit<PlanInput, "format" | "version" | "seed">;
  /** The verdict of each property that the schedule is about; these are the required ones. */
  readonly expected: Readonly<Partial<Record<Property, "valid" | "invalid">>>;
  /** The cause of the violations; absent where none is expected. */
  readonly cause?: Cause;
}

export interface ScenarioChoices {
  readonly seed: number;
  /** Another lock than the scenario's own. */
  readonly lock?: string;
  /** False leaves the faults out: the control. */
  readonly faults?: boolean;
}

/** The plan of a scenario, with the choices made. */
export function planOf(scenario: Scenario, { seed, lock, faults = true }: ScenarioChoices): Plan {
  return planSchema.parse({
    ...scenario.plan,
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed,
    lock: lock ?? scenario.plan.lock,
    faults: faults ? scenario.plan.faults : [],
  });
}
