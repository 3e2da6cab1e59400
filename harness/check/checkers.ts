import { PROPERTIES, type Property } from "../core/verdict.ts";
import type { CheckerFactory } from "./checker.ts";
import { allOrNothing } from "./properties/all-or-nothing.ts";
import { deadlockFreedom } from "./properties/deadlock-freedom.ts";
import { fencingTokens } from "./properties/fencing-tokens.ts";
import { firstComeFirstServed } from "./properties/first-come-first-served.ts";
import { leaseExclusion } from "./properties/lease-exclusion.ts";
import type { LinearizabilityOptions } from "./properties/linearizability-options.ts";
import { linearizability } from "./properties/linearizability.ts";
import { lostUpdates } from "./properties/lost-updates.ts";
import { mutualExclusion } from "./properties/mutual-exclusion.ts";
import { ownerRelease } from "./properties/owner-release.ts";
import { staleWrites } from "./properties/stale-writes.ts";

/** The checker of every property, in the order of the properties. */
export function allCheckers(options: LinearizabilityOptions = {}): readonly CheckerFactory[] {
  const checkers: Readonly<Record<Property, CheckerFactory>> = {
    "mutual-exclusion": mutualExclusion,
    "lease-exclusion": leaseExclusion,
    "fencing-tokens": fencingTokens,
    "stale-writes": staleWrites,
    "lost-updates": lostUpdates,
    "owner-release": ownerRelease,
    "deadlock-freedom": deadlockFreedom,
    linearizability: linearizability(options),
    "all-or-nothing": allOrNothing,
    "first-come-first-served": firstComeFirstServed,
  };
  return PROPERTIES.map((property) => checkers[property]);
}
