/** Figures measured more than once: their median and their spread. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The spread of at least one figure; the median of an even number is the mean of the two in the middle. */
export function spread(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((one, other) => one - other);
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined) throw new RangeError("nothing was measured");
  const middle = (sorted.length - 1) / 2;
  const [below, above] = [sorted[Math.floor(middle)] ?? min, sorted[Math.ceil(middle)] ?? max];
  return { median: (below + above) / 2, min, max };
}

/** The median of at least one figure. */
export function median(samples: readonly number[]): number {
  return spread(samples).median;
}

/** The three quartiles of at least one figure, each one of the figures. */
export function quartiles(samples: readonly number[]): readonly number[] {
  const sorted = samples.toSorted((one, other) => one - other);
  return [0.25, 0.5, 0.75].map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN);
}

/** The geometric mean of figures above 0. */
export function geometricMean(samples: readonly number[]): number {
  return Math.exp(samples.reduce((sum, sample) => sum + Math.log(sample), 0) / samples.length);
}

/**
 * The probability that a figure of `these` is smaller than one of `those`, where half a tie counts (A12, Vargha and Delaney
 * 2000): 0.5 where they do not differ.
 */
export function superiority(these: readonly number[], those: readonly number[]): number {
  let won = 0;
  for (const one of these) for (const other of those) won += one < other ? 1 : one === other ? 0.5 : 0;
  return won / (these.length * those.length);
}
