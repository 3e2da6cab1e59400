import { upperBound } from "./proportion.ts";

/** The probability that the next of several random runs shows something that none of them showed. */
export interface Discovery {
  /** How many runs the estimate is from. */
  readonly runs: number;
  /** How many different things they showed. */
  readonly distinct: number;
  readonly probability: number;
  /** The ends of its 95 % confidence interval. */
  readonly low: number;
  readonly high: number;
}

/** The quantile of the normal distribution that leaves 2.5 % on either side. */
const Z = 1.959_963_984_540_054;

/**
 * Good and Turing's estimate of the probability that the next run shows something new: the share of runs that showed
 * something which no other run did (Good 1953, "The population frequencies of species and the estimation of population
 * parameters"; for test campaigns, where one run shows several things, Böhme 2018, "STADS: software testing as species
 * discovery"). The interval is that of Esty 1983, "A normal limit law for a nonparametric estimator of the coverage of a
 * random sample", with pairs of runs that share something of their own in place of classes that were seen twice; its
 * upper end is never below the exact binomial bound, because the normal law promises too much where hardly anything is
 * rare.
 *
 * It is right for runs drawn independently from one distribution, and says nothing about other distributions.
 * @param shown what each run showed, each thing once a run
 */
export function discoveryOf(shown: readonly (readonly string[])[]): Discovery {
  const count = new DiscoveryCount();
  for (const things of shown) count.add(things);
  return count.discovery;
}

/** The runs of `discoveryOf`, one by one and in any order: it keeps what they showed, and not the runs. */
export class DiscoveryCount {
  #runs = 0;
  /** The first runs that showed a thing. */
  readonly #seenIn = new Map<string, readonly number[]>();

  add(things: readonly string[]): void {
    const run = this.#runs++;
    for (const thing of things) {
      const known = this.#seenIn.get(thing) ?? [];
      // What more than two runs showed is no longer rare.
      if (known.length < 3) this.#seenIn.set(thing, [...known, run]);
    }
  }

  get discovery(): Discovery {
    const runs = this.#runs;
    if (runs === 0) return { runs, distinct: 0, probability: 1, low: 0, high: 1 };
    const rare = [...this.#seenIn.values()];
    const alone = new Set(rare.filter(({ length }) => length === 1).flat()).size;
    const pairs = new Set(rare.filter(({ length }) => length === 2).map(String)).size;
    const probability = alone / runs;
    const margin = Z * Math.sqrt((probability + (2 * pairs) / runs - probability ** 2) / runs);
    return {
      runs,
      distinct: this.#seenIn.size,
      probability,
      low: Math.max(0, probability - margin),
      high: Math.min(1, Math.max(probability + margin, upperBound({ hits: alone, trials: runs }, 0.975))),
    };
  }
}
