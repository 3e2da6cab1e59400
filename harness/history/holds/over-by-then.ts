import type { OpenHolds } from "../open-holds.ts";
import type { Hold } from "./hold.ts";

/** How many holds with a lease in force are skipped in the search for one whose lease is over. */
const SCANNED = 8;

/** The holds of a key whose leases are over at a time, the oldest first. */
export function overByThen(holds: OpenHolds, key: string, time: number): readonly Hold[] {
  const over: Hold[] = [];
  let lasting = 0;
  for (const hold of holds.of(key)) {
    if (hold.leaseEnd < time) over.push(hold);
    else lasting += 1;
    if (lasting === SCANNED) break;
  }
  return over;
}
