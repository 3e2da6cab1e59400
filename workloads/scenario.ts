import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../harness/core/plan.ts";
import type { Cause, Property } from "../harness/core/verdict.ts";

type ScenarioPlan = Omit<PlanInput, "format" | "version" | "seed">;

/** The expected outcome of a property: it holds, or it is violated by exactly these causes. */
export type Expectation = "valid" | Cause | readonly Cause[];

/**
 * A schedule that breaks a lock, or must not break it, as data. Its sections wait only for other clients' operations,
 * never for a fault, so that the same plan runs to its end without its faults; a holder may wait for a fault, for a
 * limited time.
 */
export interface Scenario {
  /** Its place in the catalogue, from 1. */
  readonly number: number;
  /** Its public name: `async-failover`. */
  readonly slug: string;
  /** What happens, in one line. */
  readonly title: string;
  readonly source: { readonly name: string; readonly link: string };
  /** What the source says, in one sentence of our own. */
  readonly says: string;
  /** What happens and why the lock permits it, in a paragraph. */
  readonly summary: string;
  readonly plan: ScenarioPlan;
  /** The expected outcome of each property that the schedule is about; these properties are required. */
  readonly expected: Readonly<Partial<Record<Property, Expectation>>>;
  /** Events that the history must contain if no violation shows that the schedule took place. */
  readonly shows?: readonly ExpectedEvent[];
  readonly control: Control;
  /** Why containers cannot run it; absent if they can. */
  readonly onlyInSimulation?: string;
}

/** An event that a history must hold: `acquire:fail` of client 1. */
export interface ExpectedEvent {
  readonly event: string;
  readonly client: number;
}

/** The immune variant: the same schedule with the change that makes it harmless. */
type Control = ImmuneVariant | { readonly none: string };

interface ImmuneVariant {
  /** What makes it immune, in a few words. */
  readonly by: string;
  /** What differs from the scenario's own plan. Faults differ only if they are themselves the change. */
  readonly plan: Partial<Pick<ScenarioPlan, "lock" | "topology" | "resource" | "clients" | "faults">>;
  /** The properties that hold. */
  readonly keeps: readonly Property[];
  readonly shows?: readonly ExpectedEvent[];
  /** Why the control alone needs the simulation; absent if it does not. */
  readonly onlyInSimulation?: string;
}

/** The schedule itself; its immune variant; the schedule without its faults. */
const VARIANTS = ["schedule", "control", "no-faults"] as const;
export type Variant = (typeof VARIANTS)[number];

export interface ScenarioChoices {
  readonly seed: number;
  /** A lock to use in place of the scenario's own. */
  readonly lock?: string | undefined;
  readonly variant?: Variant;
}

/** The plan of a scenario, with the choices made. If a scenario has no control, the schedule itself is its control. */
export function planOf(scenario: Scenario, { seed, lock, variant = "schedule" }: ScenarioChoices): Plan {
  const immune = variant === "control" && "plan" in scenario.control ? scenario.control.plan : {};
  const plan = { ...scenario.plan, ...immune };
  return planSchema.parse({
    ...plan,
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed,
    lock: lock ?? plan.lock,
    faults: variant === "no-faults" ? [] : plan.faults,
  });
}

/**
 * The variants that show something: without a control that does not exist, and without a fault-free variant of a
 * schedule that has no faults.
 */
export function variantsOf({ control, plan }: Scenario): readonly Variant[] {
  return VARIANTS.filter(
    (variant) => variant === "schedule" || (variant === "control" ? "plan" in control : plan.faults.length > 0),
  );
}

/** The properties that decide the verdict of a variant. */
export function requiredOf({ expected, control }: Scenario, variant: Variant): readonly Property[] {
  if (variant === "control" && "keeps" in control) return control.keeps;
  return Object.keys(expected) as Property[];
}

/** Why containers cannot run this variant; undefined where they can. */
export function whyNotOnContainers({ onlyInSimulation, control }: Scenario, variant: Variant): string | undefined {
  if (onlyInSimulation !== undefined && variant !== "no-faults") return onlyInSimulation;
  return variant === "control" && "plan" in control ? control.onlyInSimulation : undefined;
}
