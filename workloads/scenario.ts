import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../harness/core/plan.ts";
import type { Cause, Property } from "../harness/core/verdict.ts";

type ScenarioPlan = Omit<PlanInput, "format" | "version" | "seed">;

/** What is to come of a property: it holds, or it is violated, by exactly these causes. */
export type Expectation = "valid" | Cause | readonly Cause[];

/**
 * A schedule that breaks a lock, or that must not, as data. Its sections hang only on other clients' operations, never on a
 * fault, so that the same plan runs to its end without its faults; a holder may wait for one, a while at the most.
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
  /** What is to come of each property that the schedule is about; these are the required ones. */
  readonly expected: Readonly<Partial<Record<Property, Expectation>>>;
  /** Events that must be on record, where no violation shows that the schedule came about. */
  readonly shows?: readonly Sighting[];
  readonly control: Control;
  /** Present where containers cannot do it: why. */
  readonly onlyInSimulation?: string;
}

/** An event that a history must hold: `acquire:fail` of client 1. */
export interface Sighting {
  readonly event: string;
  readonly client: number;
}

/** The immune variant: the same schedule, but for what makes it harmless. */
type Control = ImmuneVariant | { readonly none: string };

interface ImmuneVariant {
  /** What makes it immune, in a few words. */
  readonly by: string;
  /** What differs from the scenario's own plan. Faults differ only where they are themselves what is to be done otherwise. */
  readonly plan: Partial<Pick<ScenarioPlan, "lock" | "topology" | "resource" | "clients" | "faults">>;
  /** The properties that hold. */
  readonly keeps: readonly Property[];
  readonly shows?: readonly Sighting[];
  /** Present where only the control needs the simulation: why. */
  readonly onlyInSimulation?: string;
}

/** The schedule itself; its immune variant; the schedule without its faults. */
const VARIANTS = ["schedule", "control", "no-faults"] as const;
export type Variant = (typeof VARIANTS)[number];

export interface ScenarioChoices {
  readonly seed: number;
  /** Another lock than the scenario's own. */
  readonly lock?: string;
  readonly variant?: Variant;
}

/** The plan of a scenario, with the choices made. A scenario without a control has the schedule itself for one. */
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

/** The variants that say something: not a control that does not exist, nor a schedule without the faults it never had. */
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
