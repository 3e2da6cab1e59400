import type { LockDriver } from "../../core/lock-driver.ts";
import type { ConformityCheck } from "./conformity.ts";

/** What to try of a check with this driver's lock; undefined if there is nothing to try, since the lock has no leases. */
export function checkFor(check: ConformityCheck, { leases }: LockDriver): ConformityCheck | undefined {
  const { withoutLeases = check } = check;
  if (leases !== false) return check;
  return withoutLeases === "nothing" ? undefined : { ...check, ...withoutLeases };
}

/** Why a check is not tried that `checkFor` has nothing of. */
export const WITHOUT_LEASES = "the lock is said to have no leases";
