import type { Verdict } from "../core/verdict.ts";

/** A shorter overlap is real, but looks like a rounding error and explains nothing. */
const LEAST_OVERLAP_NS = 10_000_000;

/**
 * Whether two overlapping holds overlap long enough to be seen, wherever a violation is about that. This includes
 * violations of properties that are not required, because the report shows them too.
 */
export function hasVisibleOverlap({ properties }: Verdict): boolean {
  return Object.values(properties).every(({ violations: [first] }) => {
    const overlap = first?.overlap;
    return overlap === undefined || overlap.to - overlap.from >= LEAST_OVERLAP_NS;
  });
}
