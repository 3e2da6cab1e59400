import { traitsOf } from "../../../faults/traits.ts";
import type { Cause, Hypothesis } from "../../core/verdict.ts";
import type { FaultEvent } from "../../history/history.ts";
import { causeOfLoss } from "./causes.ts";
import { causeOfForgetting } from "./token-causes.ts";

/**
 * The cause of a violation that faults lead to only together, or that a fault leads to which no hypothesis names: by the
 * hypothesis of one of them, else by what such a fault takes away.
 *
 * @param rest the hypothesis that the lock itself is the cause
 */
export function jointCause(guilty: readonly FaultEvent[], accused: readonly Hypothesis[], rest: Hypothesis): Cause {
  const named = accused.find(({ fault }) => guilty.some(({ index }) => index === fault));
  const [first] = guilty;
  if (named !== undefined || first === undefined) return (named ?? rest).cause;
  switch (rest.cause) {
    case "never-freed":
      return rest.cause;
    case "token-rollback":
    case "token-overtaken":
      return causeOfForgetting(traitsOf(first.f));
    default:
      return causeOfLoss(traitsOf(first.f)) ?? rest.cause;
  }
}
