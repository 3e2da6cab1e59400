import { losesLockData, movesClocks, type FaultTraits } from "../../core/fault-traits.ts";
import type { Cause, Hypothesis } from "../../core/verdict.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";

/** Whether such a fault can take a lease away from its holder. All other faults only change the timing. */
export function takesLeases(traits: FaultTraits): boolean {
  return movesClocks(traits) || losesLockData(traits);
}

/**
 * The cause that remains when no fault that can take a lease away explains the violation. If lockstorm recorded the history
 * and it has no such fault, the history alone proves the cause. Otherwise only a run without those faults can prove it.
 */
export function byElimination(
  cause: Cause,
  why: string,
  evidence: SharedEvidence,
  excusing: (traits: FaultTraits) => boolean = takesLeases,
): Hypothesis {
  const accusable = evidence.faults.during(excusing, 0, evidence.endTime).map(({ index }) => index);
  const isWhole = namesEveryFault(evidence);
  return { cause, events: [], why, ground: { on: "rest", faults: [...new Set(accusable)], isWhole }, remedies: [] };
}

/** Whether the history names every fault of its run. Histories that lockstorm recorded do. */
export function namesEveryFault({ header }: SharedEvidence): boolean {
  return typeof header["backend"] === "string";
}

/**
 * A cause that blames the success of a release or an extension on the lock, with the other explanation if there is one: the grant of
 * this owner may lie before the recording.
 *
 * @param hasGrant whether the history has a grant of this owner
 */
export function orGrantedBefore(hypothesis: Hypothesis, hasGrant: boolean, { beganFree }: SharedEvidence): Hypothesis {
  if (hasGrant || beganFree) return hypothesis;
  const orElse =
    ", or this owner was granted it before the recording began, and the lock granted it to another all the same";
  return { ...hypothesis, orElse };
}
