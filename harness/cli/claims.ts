import { claimedProperties, faultClass } from "../../lock-impl/claims.ts";
import { findLock } from "../../lock-impl/registry.ts";
import type { Plan } from "../core/plan.ts";
import { PROPERTIES, type Property } from "../core/verdict.ts";

/**
 * The properties that decide the verdict of a plan: what its lock claims under the faults of the plan. A lock that
 * nobody has described answers for all of them.
 */
export function requiredProperties(plan: Plan): readonly Property[] {
  const entry = findLock(plan.lock);
  if (entry === undefined) return PROPERTIES;
  const claimed = claimedProperties(entry.claims, {
    topology: plan.topology.kind,
    persistence: plan.topology.persistence,
    faults: plan.faults.map(({ kind, params }) => faultClass(kind, params)),
  });
  return PROPERTIES.filter((property) => claimed.includes(property));
}
