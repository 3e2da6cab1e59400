/** The number of hits in a number of trials. */
export interface Proportion {
  readonly hits: number;
  readonly trials: number;
}

/** The quantile of the normal distribution that leaves 2.5 % on either side. */
const Z = 1.959_963_984_540_054;

/**
 * Wilson's score interval, 95 %, for the probability behind a proportion (Wilson 1927, "Probable inference, the law of
 * succession, and statistical inference"). Unlike the normal approximation it is useful when all trials hit or none
 * does: after 0 of 100 the probability may still be 3.7 %. Without trials it is the whole range.
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

/**
 * The one-sided upper confidence bound of a probability after `hits` in `trials`: the exact bound of Clopper and
 * Pearson (1934), the largest probability under which `hits` or fewer are still at least as likely as `1 - confidence`.
 * For no hits it is about 3 / trials at 95 %.
 */
export function upperBound({ hits, trials }: Proportion, confidence = 0.95): number {
  if (trials === 0 || hits >= trials) return 1;
  const accepted = Math.log(1 - confidence);
  let [low, high] = [hits / trials, 1];
  // Bisects until a double cannot tell the two bounds apart.
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (logAtMost(hits, trials, middle) > accepted) low = middle;
    else high = middle;
  }
  return high;
}

/** The logarithm of the probability of at most `hits` in `trials`; as a logarithm, because it may be tiny. */
function logAtMost(hits: number, trials: number, probability: number): number {
  if (probability >= 1) return -Infinity;
  const odds = Math.log(probability) - Math.log1p(-probability);
  let term = trials * Math.log1p(-probability);
  let [largest, sum] = [term, 1];
  for (let count = 1; count <= hits; count += 1) {
    term += Math.log(trials - count + 1) - Math.log(count) + odds;
    if (term > largest) [largest, sum] = [term, sum * Math.exp(largest - term) + 1];
    else sum += Math.exp(term - largest);
  }
  return largest + Math.log(sum);
}
