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

/**
 * Whether a run says as much against a lock as the one before: where something else than `linearizability` was violated, one of
 * those properties still is. A plan that leaves only `linearizability` of a violation of `lease-exclusion` is smaller, but it no
 * longer shows two holders, only that some answer was wrong.
 */
export function saysAsMuch({ required, properties }: Judgement, before: Judgement): boolean {
  const telling = before.required.filter(
    (property) => property !== "linearizability" && before.properties[property]?.verdict === "invalid",
  );
  if (telling.length === 0) return true;
  return telling.some((property) => required.includes(property) && properties[property]?.verdict === "invalid");
}

type Judgement = Pick<Verdict, "required" | "properties">;
