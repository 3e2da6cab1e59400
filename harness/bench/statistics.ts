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
