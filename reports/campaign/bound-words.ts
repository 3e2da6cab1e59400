import { upperBound } from "../../harness/core/statistics/proportion.ts";

/**
 * What this many runs without a violation say about the next one: the exact upper bound of Clopper and Pearson at 95 %,
 * which is about 3 / runs for more than a few runs. `at most 1.3 % of such runs break it (95 %)`.
 */
export function boundWords(validRuns: number): string {
  return `at most ${percent(upperBound({ hits: 0, trials: validRuns }))} of such runs break it (95 %)`;
}

/** Rounds up to two digits: rounding down would promise more than was measured. */
function percent(share: number): string {
  const value = share * 100;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  const rounded = Math.min(100, Math.ceil(value / step - 1e-9) * step);
  return `${Number(rounded.toPrecision(2))} %`;
}
