import type { Recurrence } from "../../harness/core/recurrence.ts";

/**
 * How often the violation of a counterexample came again: `failed with 19 of 20 other seeds, and in 3 of 3 runs on real
 * servers`; and why real servers ran nothing, if they were asked for. Undefined where nobody counted.
 */
export function recurrenceWords({ otherSeeds, realServers, notOnRealServers }: Recurrence = {}): string | undefined {
  const parts = [
    ...(otherSeeds === undefined ? [] : [`with ${otherSeeds.failed} of ${otherSeeds.of} other seeds`]),
    ...(realServers === undefined ? [] : [`in ${realServers.failed} of ${realServers.of} runs on real servers`]),
  ];
  const words = [
    ...(parts.length === 0 ? [] : [`failed ${parts.join(", and ")}`]),
    ...(notOnRealServers === undefined ? [] : [`was not tried on real servers: ${notOnRealServers}`]),
  ];
  return words.length === 0 ? undefined : words.join(", and ");
}
