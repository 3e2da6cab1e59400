import { traitsOf } from "../../../faults/traits.ts";
import type { FaultTraits } from "../../core/fault-traits.ts";
import { type FaultEvent, NANOSECONDS_PER_MS } from "../../history/history.ts";
import { lasting } from "../words.ts";
import { isPromotion } from "./two-masters.ts";

/** Whether the fault makes a clock jump. */
export function stepsClocks({ clock }: FaultTraits): boolean {
  return clock === "step";
}

/**
 * What a step of a clock did to a lease. Servers drop keys by their own clocks, so one that goes forward ends leases
 * early. Which end a client moves depends on what the lock compares its clock with.
 */
export function steppedLease(fault: string, { value: { targets, processes = [], byMs } }: FaultEvent): string {
  if (byMs === undefined)
    return `${fault} moved the end of the lease: a lease ends by the wall clock of the process that measures it`;
  const isOfServers = targets.length > 0 && processes.length === 0;
  const effect = byMs > 0 && isOfServers ? "ended the lease early" : "moved the end of the lease";
  const step = `${byMs < 0 ? "back" : "forward"} by ${lasting(Math.abs(byMs) * NANOSECONDS_PER_MS)}`;
  return `${fault} ${effect}: the clock by which it is measured went ${step}`;
}

/** Whether this stepped the clock by which a node, promoted later, judged the leases that had been replicated to it. */
export function isClockOfPromoted(step: FaultEvent, found: readonly { readonly fault: FaultEvent }[]): boolean {
  if (!stepsClocks(traitsOf(step.f))) return false;
  return found.some(
    ({ fault }) =>
      isPromotion(fault) &&
      fault.index > step.index &&
      fault.value.targets.some((node) => step.value.targets.includes(node)),
  );
}

/**
 * Whether a step of a server's clock cannot have ended a lease early, as far as its servers measure it: the clock went back, or
 * did so before the lease was set.
 */
export function endsNoLease({ f, time, value: { processes = [], byMs } }: FaultEvent, setAt: number): boolean {
  return stepsClocks(traitsOf(f)) && processes.length === 0 && byMs !== undefined && (byMs < 0 || time < setAt);
}
