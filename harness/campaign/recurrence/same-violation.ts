import type { Verdict } from "../../core/verdict.ts";

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
