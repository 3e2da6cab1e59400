/**
 * The one-sided upper confidence bound of a probability of which `hits` of `trials` were seen: the exact one of Clopper
 * and Pearson (1934), the largest probability under which so few hits are not yet less likely than `1 - confidence`.
 * For no hits it is about 3 / trials at 95 %.
 */
export function upperBound(hits: number, trials: number, confidence = 0.95): number {
  if (trials === 0 || hits >= trials) return 1;
  const accepted = Math.log(1 - confidence);
  let [low, high] = [hits / trials, 1];
  // Halved until a double cannot tell them apart.
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
