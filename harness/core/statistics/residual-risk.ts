import { z } from "zod";
import { DiscoveryCount } from "./discovery.ts";
import { upperBound } from "./proportion.ts";

const probability = z.number().min(0).max(1);

export const residualRiskSchema = z.object({
  runs: z.int().positive().describe("runs of plans that were drawn at random; only they are counted here"),
  valid: z.int().nonnegative().describe("runs of these with the verdict valid"),
  atMost: probability.describe(
    "upper bound (95 %, Clopper and Pearson) of the share of violations among runs of random plans that decide",
  ),
  orders: z
    .int()
    .nonnegative()
    .describe("how many orders of two events these runs showed at a client, a server or the resource"),
  newOrder: z
    .object({ probability, low: probability, high: probability })
    .describe("probability that one more random run shows an order that none showed (Good and Turing), 95 % interval"),
});

/**
 * What a campaign without a violation leaves open, for plans drawn from the same distribution. It says nothing about
 * plans that this distribution does not have, and nothing about plans that were chosen in an order instead of drawn.
 */
export type ResidualRisk = Readonly<z.infer<typeof residualRiskSchema>>;

/** A run as this estimate takes it. */
export interface QuietRun {
  readonly verdict: "valid" | "unknown";
  /** The orders of events that it showed; absent for a plan that was not drawn at random. */
  readonly orders?: readonly string[] | undefined;
}

/** What runs without a violation leave open; undefined when none of their plans was drawn at random. */
export function residualRiskOf(all: readonly QuietRun[]): ResidualRisk | undefined {
  const count = new RiskCount();
  for (const run of all) count.add(run);
  return count.risk;
}

/** The runs of `residualRiskOf`, one by one and in any order. */
export class RiskCount {
  #valid = 0;
  readonly #shown = new DiscoveryCount();

  add({ verdict, orders }: QuietRun): void {
    if (orders === undefined) return;
    if (verdict === "valid") this.#valid += 1;
    this.#shown.add(orders);
  }

  get risk(): ResidualRisk | undefined {
    const { runs, distinct, probability, low, high } = this.#shown.discovery;
    if (runs === 0) return undefined;
    return {
      runs,
      valid: this.#valid,
      atMost: upperBound({ hits: 0, trials: this.#valid }),
      orders: distinct,
      newOrder: { probability, low, high },
    };
  }
}
