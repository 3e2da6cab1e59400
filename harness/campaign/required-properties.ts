import { classOf } from "../../faults/fault-classes.ts";
import { promisable } from "../../lock-impl/claim-tables.ts";
import { claimedProperties, type Circumstances, expectedLimits } from "../../lock-impl/claims.ts";
import { lockFacts } from "../client/lock-facts.ts";
import type { Plan } from "../core/plan.ts";
import { PROPERTIES, type Property } from "../core/verdict.ts";

/**
 * The properties that decide the verdict of a plan unless others are asked for: what its lock claims under the faults
 * of the plan. An undescribed lock is judged by what any sound lock on the plan's topology can promise.
 */
export function requiredProperties(plan: Plan): readonly Property[] {
  const claims = lockFacts(plan.lock)?.claims ?? promisable(plan.topology.kind);
  const claimed = claimedProperties(claims, circumstancesOf(plan));
  return PROPERTIES.filter((property) => claimed.includes(property));
}

/** The properties that the lock of this plan is known to break under its faults, or without any fault. */
export function knownToBreak(plan: Plan): ReadonlySet<string> {
  const limits = lockFacts(plan.lock)?.limits ?? [];
  return new Set(expectedLimits(limits, circumstancesOf(plan)).map(({ property }) => property));
}

function circumstancesOf({ topology, faults }: Plan): Circumstances {
  return {
    topology: topology.kind,
    persistence: topology.persistence,
    faults: faults.map(({ kind, params }) => classOf(kind, params)),
  };
}
