import { classOf } from "../../faults/fault-classes.ts";
import { promisable, promisableWithoutLeases } from "../../lock-impl/claim-tables.ts";
import { type Claim, claimedProperties, type Circumstances, expectedLimits } from "../../lock-impl/claims.ts";
import { hasLeases, mayAssumeClientClocks } from "../client/load-driver.ts";
import { lockFacts } from "../client/lock-facts.ts";
import type { Plan } from "../core/plan.ts";
import type { Supports } from "../core/sharing.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import type { TopologySpec } from "../core/topology.ts";
import { PROPERTIES, type Property } from "../core/verdict.ts";

/**
 * The properties that decide the verdict of a plan unless others are asked for: what its lock claims under the faults
 * of the plan. An undescribed lock is judged by what any sound lock on the plan's topology can promise.
 */
export function requiredProperties(plan: Plan): readonly Property[] {
  const claims = lockFacts(plan.lock)?.claims ?? promisableBy(plan.lock, plan.topology.kind);
  const claimed = claimedProperties(claims, circumstancesOf(plan));
  return PROPERTIES.filter((property) => claimed.includes(property));
}

/**
 * These properties of the plan's lock, and of one without leases also `mutual-exclusion`, where it can promise it: it has to exclude
 * even those who hold it for long.
 */
export function alsoExclusive(plan: Plan, properties: readonly Property[]): readonly Property[] {
  const isExclusive = !hasLeases(plan.lock) && requiredProperties(plan).includes("mutual-exclusion");
  return isExclusive ? ["mutual-exclusion", ...properties] : properties;
}

/** What a lock can promise of which no more is known than what its driver says. */
function promisableBy(lock: string, topology: TopologyKind): readonly Claim[] {
  return hasLeases(lock) ? promisable(topology, mayAssumeClientClocks(lock)) : promisableWithoutLeases(topology);
}

/**
 * What the runs of a campaign should say something about: what the lock claims on this topology; of an undescribed lock, what any
 * sound one of its kind promises.
 */
export function promisedProperties(lock: {
  readonly lock: string;
  readonly topology: TopologySpec;
  readonly supports: Supports;
  /** Whether it says that it has fencing tokens. */
  readonly fence: boolean;
}): readonly Property[] {
  const { topology, supports, fence } = lock;
  const circumstances = { topology: topology.kind, persistence: topology.persistence, faults: [] };
  const described = lockFacts(lock.lock)?.claims;
  const claimed = claimedProperties(described ?? promisableBy(lock.lock, topology.kind), circumstances);
  const ofOthers: Partial<Record<Property, boolean>> = {
    "fencing-tokens": !fence,
    "stale-writes": !fence,
    "all-or-nothing": supports.severalKeys !== true,
    "first-come-first-served": supports.fair !== true,
  };
  return PROPERTIES.filter(
    (property) => claimed.includes(property) && (described !== undefined || ofOthers[property] !== true),
  );
}

/**
 * What a run of the plan can say something about: of what the campaign should, the properties that the faults of the plan leave.
 * Among those that decide a verdict are some that concern only locks of a kind, such as locks with a queue.
 * @param promised see `promisedProperties`
 */
export function testableProperties(plan: Plan, promised: readonly Property[]): readonly Property[] {
  return requiredProperties(plan).filter((property) => promised.includes(property));
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
