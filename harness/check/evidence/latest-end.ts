import type { Hold } from "../../history/holds.ts";

/**
 * The latest end of a lease that its holder was told to end at `toldEnd`. If the lock may have waited, nobody knows when the lease
 * began; and a coarse clock leaves open when it ended.
 */
export function latestEnd({ vague, leaseEndAtMost, clockSlack }: Hold, toldEnd: number): number {
  return vague ? Math.max(toldEnd, leaseEndAtMost) : toldEnd + clockSlack;
}

/** Whether the lease of a grant was over for certain when its client was told of it. */
export function isOverOnArrival(hold: Hold): boolean {
  return !hold.vague && latestEnd(hold, hold.grantedLeaseEnd) <= hold.grantedTime;
}
