import { traitsOf } from "../../faults/traits.ts";
import type { FaultTraits } from "../../harness/core/fault-traits.ts";
import type { Plan } from "../../harness/core/plan.ts";
import type { FaultSpan } from "./fault-spans.ts";

/** A step of a wall clock: from `time` on (true time, nanoseconds) it is `offset` ahead of where it was. */
export interface ClockStep {
  readonly lane: string;
  readonly time: number;
  /** Nanoseconds; negative for a step back. */
  readonly offset: number;
}

/**
 * The steps of wall clocks in a run. The history says when a clock stepped and whose it was; only the plan says by how
 * much. So a step is left out where the plan is absent, or where it could be one of several clock jumps that differ.
 */
export function clockStepsOf(faults: readonly FaultSpan[], plan: Plan | undefined): readonly ClockStep[] {
  const planned = (plan?.faults ?? []).filter(({ kind }) => stepsClocks(traitsOf(kind))).map(({ params }) => params);
  return faults
    .filter(({ traits, outcome }) => stepsClocks(traits) && outcome !== "skipped")
    .flatMap(({ targets, lanes, from }) => {
      const named = planned.filter((params) => JSON.stringify(params["targets"]) === JSON.stringify(targets));
      const sizes = new Set((named.length > 0 ? named : planned).map((params) => params["byMs"]));
      const [byMs] = sizes;
      if (sizes.size !== 1 || typeof byMs !== "number") return [];
      return lanes.map((lane) => ({ lane, time: from, offset: byMs * 1e6 }));
    });
}

function stepsClocks({ clock }: FaultTraits): boolean {
  return clock === "step";
}
