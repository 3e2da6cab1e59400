import type { Plan } from "../harness/core/plan.ts";
import type { FaultSpan } from "./fault-spans.ts";

/** A wall clock that stepped: from `time` on (true time, nanoseconds) it is `offset` ahead of where it was. */
export interface ClockStep {
  readonly lane: string;
  readonly time: number;
  /** Nanoseconds; negative for a step back. */
  readonly offset: number;
}

/**
 * The steps of wall clocks in a run. The history says when and whose; by how much is the plan's to say, so that a step
 * is left out where the plan is absent, or where several of its clock jumps could be meant and they differ.
 */
export function clockStepsOf(faults: readonly FaultSpan[], plan: Plan | undefined): readonly ClockStep[] {
  const planned = (plan?.faults ?? []).filter(({ kind }) => kind === "clock-jump").map(({ params }) => params);
  return faults
    .filter(({ kind, outcome }) => kind === "clock-jump" && outcome !== "skipped")
    .flatMap(({ targets, lanes, from }) => {
      const named = planned.filter((params) => JSON.stringify(params["targets"]) === JSON.stringify(targets));
      const sizes = new Set((named.length > 0 ? named : planned).map((params) => params["byMs"]));
      const [byMs] = sizes;
      if (sizes.size !== 1 || typeof byMs !== "number") return [];
      return lanes.map((lane) => ({ lane, time: from, offset: byMs * 1e6 }));
    });
}
