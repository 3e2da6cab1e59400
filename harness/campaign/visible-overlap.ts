import type { Plan } from "../core/plan.ts";
import type { Property, Verdict } from "../core/verdict.ts";

/** A shorter overlap is real, but looks like a rounding error and explains nothing. */
const LEAST_OVERLAP_NS = 10_000_000;

/**
 * Whether two overlapping holds overlap long enough to be seen, wherever a violation is about that. This includes
 * violations of properties that are not required, because the report shows them too.
 */
export function hasVisibleOverlap(verdict: Pick<Verdict, "properties">): boolean {
  return isVisible(verdict, () => true);
}

/**
 * Whether a smaller counterexample still shows the violation clearly: the overlaps that could be seen before can be seen. A
 * violation of a property that is not required may become too short for that if fewer clients do anything: what dozens of
 * clients do side by side shows less.
 */
export function isAsPlain(run: CounterexampleRun, before: CounterexampleRun): boolean {
  const isRequired = (property: Property): boolean => before.verdict.required.includes(property);
  const stays = (of: (property: Property) => boolean): boolean =>
    isVisible(run.verdict, of) || !isVisible(before.verdict, of);
  return stays(isRequired) && (busyClients(run.plan) < busyClients(before.plan) || stays((each) => !isRequired(each)));
}

interface CounterexampleRun {
  readonly plan: Plan;
  readonly verdict: Pick<Verdict, "properties" | "required">;
}

function isVisible({ properties }: Pick<Verdict, "properties">, of: (property: Property) => boolean): boolean {
  return Object.entries(properties).every(([property, { violations }]) => {
    const overlap = of(property as Property) ? violations[0]?.overlap : undefined;
    return overlap === undefined || overlap.to - overlap.from >= LEAST_OVERLAP_NS;
  });
}

function busyClients({ clients }: Plan): number {
  return clients.filter(({ sections }) => sections.length > 0).length;
}
