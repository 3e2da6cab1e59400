import type { ResidualRisk } from "../../harness/core/statistics/residual-risk.ts";
import { count } from "../wording.ts";
import { boundWords } from "./bound-words.ts";

/**
 * What a campaign without a violation leaves open: `at most 0.3 % of such runs break it (95 %); 1,000 random runs showed
 * 628 orders of two events, and the next run shows a new one with a probability of 14 % (95 %: 11 to 16 %)`.
 */
export function residualRiskWords({ runs, valid, orders, newOrder }: ResidualRisk): string {
  const { probability, low, high } = newOrder;
  const interval = `95 %: ${percent(low)} to ${percent(high)} %`;
  return (
    `${boundWords(valid)}; ${count(runs, "random run")} showed ${count(orders, "order")} of two events, ` +
    `and the next run shows a new one with a probability of ${percent(probability)} % (${interval})`
  );
}

/** Two digits: the interval says that more would mean nothing. */
function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))}`;
}
