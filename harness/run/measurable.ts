import type { Verdict } from "../core/verdict.ts";

/** A shorter overlap is real, but looks like a rounding error: nobody learns from it. */
const LEAST_OVERLAP_NS = 10_000_000;

/**
 * Whether two who hold at once do so for long enough to be seen, wherever a violation is about that: also where the
 * property was not required, because it is told of all the same.
 */
export function isMeasurable({ properties }: Verdict): boolean {
  return Object.values(properties).every(({ violations: [first] }) => {
    const overlap = first?.overlap;
    return overlap === undefined || overlap.to - overlap.from >= LEAST_OVERLAP_NS;
  });
}
