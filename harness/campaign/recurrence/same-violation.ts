import type { Property, Verdict } from "../../core/verdict.ts";

/**
 * Whether two runs were judged invalid for the same reason: one of the properties that decide is violated in both, by
 * the same cause. A run that breaks something else is a violation, but does not confirm the first one.
 */
export function isSameViolation(one: Verdict, other: Verdict): boolean {
  if (one.verdict !== "invalid" || other.verdict !== "invalid") return false;
  const known = violationsOf(one);
  return violationsOf(other).some((violation) => known.includes(violation));
}

function violationsOf({ required, properties }: Verdict): readonly string[] {
  return required.flatMap((property) =>
    (properties[property]?.violations ?? []).map(({ cause }) => `${property} ${cause}`),
  );
}

/**
 * Whether a run says as much against a lock as the one before: a property is violated that says more than all that were
 * violated before, or one of those that said most. A plan that only leaves `linearizability` of a violation of
 * `lease-exclusion` is smaller, but no longer shows two holders.
 */
export function saysAsMuch({ required, properties }: Judgement, before: Judgement): boolean {
  const isBroken = (property: Property, { properties: judged }: Judgement): boolean =>
    judged[property]?.verdict === "invalid";
  const brokenBefore = before.required.filter((property) => isBroken(property, before));
  const most = Math.max(...brokenBefore.map(weightOf));
  return (
    brokenBefore.length === 0 ||
    required.some(
      (property) =>
        isBroken(property, { required, properties }) &&
        (weightOf(property) > most || (weightOf(property) === most && brokenBefore.includes(property))),
    )
  );
}

type Judgement = Pick<Verdict, "required" | "properties">;

/** How much the violation of a property says: that of `linearizability` only that some answer was wrong. */
function weightOf(property: Property): number {
  return property === "lease-exclusion" ? 2 : property === "linearizability" ? 0 : 1;
}
