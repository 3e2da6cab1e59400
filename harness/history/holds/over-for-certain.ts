import type { Hold } from "./hold.ts";

/**
 * When the lease of a hold is over for certain: an operation whose outcome is unknown may prolong it at any time.
 *
 * @param answered the process whose operation is being answered: what it asked for is known
 */
export function overForCertain({ leaseEndAtMost, promised }: Hold, answered?: number): number {
  const { shortestUnknown, asked } = promised ?? {};
  const open = (asked?.size ?? 0) - (answered !== undefined && asked?.has(answered) === true ? 1 : 0);
  return shortestUnknown !== undefined || open > 0 ? Infinity : leaseEndAtMost;
}

/**
 * Whether some of several independent servers may still have a lock at this time, too few to hold it: its lease may last, or an
 * operation on it that failed, and may have reached them, prolonged it there.
 *
 * @param answered the process whose operation is being answered
 */
export function mayRemainOnSome(hold: Hold, time: number, answered?: number): boolean {
  return hold.promised?.hasFailedOnce === true || overForCertain(hold, answered) > time;
}
