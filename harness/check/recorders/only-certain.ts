import type { PropertyVerdict, Violation } from "../../core/verdict.ts";
import { unknown } from "../findings.ts";

/** What proves a violation by itself, whatever the recording leaves out: the lock reported a validity that was over. */
export function isExpiredGrant({ cause }: Violation): boolean {
  return cause === "expired-grant";
}

/**
 * An accusation with only those violations that are certain; `unknown`, for the reason, where none is left. Any other verdict stays.
 */
export function onlyCertain(
  verdict: PropertyVerdict,
  isCertain: (violation: Violation) => boolean,
  reason: string,
): PropertyVerdict {
  if (verdict.verdict !== "invalid") return verdict;
  const violations = verdict.violations.filter((violation) => isCertain(violation));
  return violations.length > 0 ? { ...verdict, violations } : unknown(reason);
}
