import { traitsOf } from "../../../faults/traits.ts";
import { losesLockData, losesNodeData, type FaultTraits } from "../../core/fault-traits.ts";
import type { FaultEvent } from "../../history/history.ts";
import type { Cause, Hypothesis } from "../../core/verdict.ts";
import { byElimination } from "./by-elimination.ts";
import { unknownInWords } from "./causes.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { twoMasters } from "./two-masters.ts";
import { faultInWords } from "../words.ts";

/** What makes a fence counter forget, the most specific first. */
const LOSSES_OF_COUNTS: readonly ((traits: FaultTraits) => boolean)[] = [
  ({ promotes }) => promotes === "seen",
  ({ promotes }) => promotes === "request",
  ({ loses }) => loses === "disk",
  ({ loses }) => loses === "unsynced",
  ({ loses }) => loses === "memory",
  ({ loses }) => loses === "keys",
];

/**
 * Why a fencing token was granted twice, or a smaller one after a larger one, the most likely first: a fault between
 * the two grants that makes the counter forget; two masters with a counter each; and at last the lock itself.
 *
 * @param from when the earlier grant was asked for: its counter may have been lost before the client was told
 * @param to when the later grant was completed
 */
export function tokenHypotheses(from: number, to: number, evidence: SharedEvidence): readonly Hypothesis[] {
  const { faults, header } = evidence;
  const ranked = LOSSES_OF_COUNTS.flatMap((matches) => faults.during(matches, from, to));
  const split = twoMasters(from, to, evidence);
  const separate: readonly Hypothesis[] =
    split === undefined
      ? []
      : [
          {
            cause: "token-rollback",
            fault: split.isolation.index,
            accused: faultInWords(split.isolation),
            events: [split.promotion.index],
            why: `${split.why}. Each of them had its own fencing token counter`,
            ground: { on: "faults", faults: [split.isolation.index, split.promotion.index] },
            remedies: [],
          },
        ];
  const unknown = unknownInWords(from, to, faults);
  const itself = byElimination(
    "token-rollback",
    unknown === ""
      ? "the lock itself issued the wrong fencing token"
      : `the fencing token counter was lost, or the lock itself issued the wrong fencing token (${unknown})`,
    evidence,
    losesLockData,
  );
  const syncs = header["persistence"] === "always";
  return [...ranked.map((fault) => forgotten(fault, syncs)), ...separate, itself];
}

/**
 * Why the hold that came first has the larger fencing token: one of the same causes, or the token was not minted in the
 * step that took the key.
 */
export function overtakenHypotheses(from: number, to: number, evidence: SharedEvidence): readonly Hypothesis[] {
  const why =
    "the lock does not issue the fencing token in the step that takes the key, so the earlier hold can get the token that was issued later";
  return [...losses(from, to, evidence), byElimination("token-overtaken", why, evidence, losesLockData)];
}

/**
 * Why the only rightful holder has no larger fencing token than the resource has accepted: one of the same causes, or the
 * lock does not mint a new one in that step.
 *
 * @param isEqual whether both have the same fencing token
 */
export function refusedHypotheses(
  isEqual: boolean,
  [from, to]: readonly [from: number, to: number],
  evidence: SharedEvidence,
): readonly Hypothesis[] {
  const why = isEqual
    ? "an earlier hold has the same fencing token: the lock must issue a larger one for each hold"
    : "the larger fencing token belongs to an earlier hold, or to none: the lock must issue the token in the step that takes the key";
  return [...losses(from, to, evidence), byElimination("rightful-write-refused", why, evidence, losesLockData)];
}

/** The causes that are not the lock itself. */
function losses(from: number, to: number, evidence: SharedEvidence): readonly Hypothesis[] {
  return tokenHypotheses(from, to, evidence).filter(({ fault }) => fault !== undefined);
}

/** What a fault that makes a counter forget is called as a cause. */
export function causeOfForgetting({ loses }: FaultTraits): Cause {
  return loses === "keys" ? "eviction" : "token-rollback";
}

function forgotten(fault: FaultEvent, syncs: boolean): Hypothesis {
  const accused = faultInWords(fault);
  const traits = traitsOf(fault.f);
  return {
    cause: causeOfForgetting(traits),
    fault: fault.index,
    accused,
    events: [],
    why: `${accused} lost the fencing token counter: a counter is only as durable as the node that stores it`,
    ground: { on: "faults", faults: [fault.index] },
    remedies: losesNodeData(traits) && !syncs ? ["fsync"] : [],
  };
}
