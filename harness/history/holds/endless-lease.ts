/** The TTL of a lock whose leases do not end by themselves, in milliseconds: eleven days. */
export const ENDLESS_TTL_MS = 1e9;

/** Some of a lease is over when its holder is told of it, and clocks drift. */
const ALMOST_NS = 0.9 * ENDLESS_TTL_MS * 1e6;

/** Whether a lease of this length, in nanoseconds, stands for one that does not end by itself. */
export function isEndless(nanoseconds: number): boolean {
  return nanoseconds >= ALMOST_NS;
}
