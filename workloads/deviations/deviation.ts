import type { FaultTraits } from "../../harness/core/fault-traits.ts";
import type { Plan } from "../../harness/core/plan.ts";

/** What a deviation does, whichever fault does it. */
export type DeviationKind =
  | "hold-message"
  | "hold-one-message"
  | "lose-message"
  | "stop-client"
  | "crash-client"
  | "stop-server"
  | "crash-server"
  | "promote-replica"
  | "step-clock"
  | "change-clock-rate"
  | "drop-data"
  | "other";

/** One departure of a schedule from the one without faults. */
export interface Deviation {
  readonly kind: DeviationKind;
  /** Where and how, in words. */
  readonly at: string;
  /** The plan with this deviation, after those that it has already. */
  apply(plan: Plan): Plan;
}

/** The kind of the deviations that a fault with these traits causes. */
export function deviationKindOf(traits: FaultTraits): DeviationKind {
  const { pauses, kills, messages, clock, promotes, loses } = traits;
  if (pauses !== undefined) return pauses === "client" ? "stop-client" : "stop-server";
  if (kills !== undefined) return kills === "client" ? "crash-client" : "crash-server";
  if (messages !== undefined) return messages === "holds" ? "hold-message" : "lose-message";
  if (clock !== undefined) return clock === "step" ? "step-clock" : "change-clock-rate";
  if (promotes !== undefined) return "promote-replica";
  return loses === undefined ? "other" : "drop-data";
}
