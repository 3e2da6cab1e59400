import type { Hypothesis } from "../../core/verdict.ts";
import { NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { Hold } from "../../history/holds.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { Overlap } from "../evidence/overlaps.ts";
import { clientInWords, lasting, timeWords } from "../words.ts";
import { byElimination } from "./by-elimination.ts";

/** Who counts a lease in whole units of this size, in nanoseconds, may end it so much earlier than it was promised. */
export const ROUNDED_NS = NANOSECONDS_PER_MS;

/**
 * Of leases that are so many units long, at most one in a hundred locks that are granted twice at any time is granted within the last
 * unit by chance.
 */
const SHORTEST_UNITS = 100;

/**
 * The lock ended a lease by less than a millisecond before the time that it had promised: the other was granted it within the last
 * millisecond of the lease. Empty if a clock leaves open whether it was.
 */
export function roundedLease(overlap: Overlap, evidence: SharedEvidence): readonly Hypothesis[] {
  const { header } = evidence;
  const { first, second, others = [], firstLeaseEnd, extended, upgraded } = overlap;
  if (extended !== undefined || upgraded !== undefined) return [];
  const leases = [first, ...others].map((hold) => ({
    hold,
    end: hold === first ? firstLeaseEnd : hold.grantedLeaseEnd,
  }));
  const ended = leases.find(({ hold, end }) => isAlmostOver(hold, end, second));
  if (ended === undefined) return [];
  const { hold, end } = ended;
  const why = `the lock ended the lease of ${clientInWords(header, hold.process)} up to a millisecond before the time that it had promised, as one does that counts leases in whole milliseconds and promises no less`;
  return [
    {
      ...byElimination("rounded-lease", why, evidence),
      shown: `${clientInWords(header, second.process)} was granted it only ${lasting(end - second.grantedTime)} before the lease of ${clientInWords(header, hold.process)} ended, at ${timeWords(end)}`,
      orElse: ", or it granted the lock twice",
    },
  ];
}

function isAlmostOver(hold: Hold, end: number, second: Hold): boolean {
  if (hold.clockSlack > 0 || second.grantedWithin > 0 || hold.owner === second.owner) return false;
  const left = end - second.grantedTime;
  return left > 0 && left < ROUNDED_NS && end - hold.invokedTime >= SHORTEST_UNITS * ROUNDED_NS;
}
