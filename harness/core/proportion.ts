/** So many of so many. */
export interface Proportion {
  readonly hits: number;
  readonly trials: number;
}

/** The quantile of the normal distribution that leaves 2.5 % on either side. */
const Z = 1.959_963_984_540_054;

/**
 * Wilson's score interval, 95 %, for the probability behind a proportion (Wilson 1927, "Probable inference, the law of
 * succession, and statistical inference"). Unlike the usual one it says something where all or none of the trials hit:
 * after 0 of 100 the probability may still be 3.7 %. Without trials it is the whole range.
 */
export function wilsonInterval({ hits, trials }: Proportion): { readonly low: number; readonly high: number } {
  if (trials === 0) return { low: 0, high: 1 };
  const share = hits / trials;
  const denominator = 1 + Z ** 2 / trials;
  const centre = share + Z ** 2 / (2 * trials);
  const margin = Z * Math.sqrt((share * (1 - share)) / trials + Z ** 2 / (4 * trials ** 2));
  return {
    low: hits === 0 ? 0 : Math.max(0, (centre - margin) / denominator),
    high: hits === trials ? 1 : Math.min(1, (centre + margin) / denominator),
  };
}
