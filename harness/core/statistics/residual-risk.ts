import { z } from "zod";
import { discoveryOf } from "./discovery.ts";
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
  const random = all.flatMap(({ verdict, orders }) => (orders === undefined ? [] : [{ verdict, orders }]));
  if (random.length === 0) return undefined;
  const valid = random.filter(({ verdict }) => verdict === "valid").length;
  const { runs, distinct, probability, low, high } = discoveryOf(random.map(({ orders }) => orders));
  return {
    runs,
    valid,
    atMost: upperBound({ hits: 0, trials: valid }),
    orders: distinct,
    newOrder: { probability, low, high },
  };
}
