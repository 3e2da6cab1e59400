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
