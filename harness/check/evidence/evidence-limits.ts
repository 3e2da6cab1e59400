import type { SharedEvidence } from "./evidence.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/**
 * How much of a history is followed at a time, in numbers, so that the same history gets the same verdict on every
 * machine. Each is far beyond what a run needs; together they bound the memory.
 */
export interface EvidenceLimits {
  /** Faults that were started, healed or not. */
  readonly faults: number;
  /** Holds that are not over, of all keys. */
  readonly openHolds: number;
  /** Operations that are invoked and not completed. */
  readonly openOperations: number;
  /** Leases that may overlap another, which depends on requests that are not answered yet. */
  readonly undecidedLeases: number;
  /** Keys that are followed at a time: an idle one is concluded to make room. */
  readonly keys: number;
  /** Keys that were concluded and must not be used again. */
  readonly concludedKeys: number;
}

export const EVIDENCE_LIMITS: EvidenceLimits = {
  faults: 10_000,
  openHolds: 20_000,
  openOperations: 100_000,
  undecidedLeases: 100_000,
  keys: 8_000,
  concludedKeys: 1_000_000,
};

/** Which limit the evidence exceeds, in words; undefined if it exceeds none. */
export function excessOf(
  { holds, faults, leases, openOperations }: SharedEvidence,
  limits: EvidenceLimits,
): string | undefined {
  if (faults.faults.length > limits.faults) return `the history has more than ${limits.faults} faults`;
  if (holds.size > limits.openHolds) return `more than ${inFigures(limits.openHolds)} holds were open at a time`;
  if (openOperations > limits.openOperations) {
    return `more than ${inFigures(limits.openOperations)} operations were under way at a time`;
  }
  if (leases.undecided > limits.undecidedLeases) {
    return `more than ${limits.undecidedLeases} leases depended at a time on requests that were not answered yet`;
  }
  return undefined;
}
