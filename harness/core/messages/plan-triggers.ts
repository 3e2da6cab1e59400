import type { Plan, Step } from "../plan.ts";
import { isMessageTrigger, type MessageTrigger, type Trigger } from "../trigger.ts";

/** Of the faults, then of the sections and their steps. */
export function triggersOf({ faults, clients }: Pick<Plan, "faults" | "clients">): readonly Trigger[] {
  const sections = clients.flatMap((client) => client.sections);
  return [
    ...faults.flatMap(({ at, until }) => (until === undefined ? [at] : [at, until])),
    ...sections.flatMap(({ after, steps }) => [...(after === undefined ? [] : [after]), ...steps.flatMap(awaited)]),
  ];
}

/** The triggers of a plan that wait for commands between clients and servers. */
export function messageTriggersOf(plan: Pick<Plan, "faults" | "clients">): readonly MessageTrigger[] {
  return triggersOf(plan).filter(isMessageTrigger);
}

function awaited(step: Step): readonly Trigger[] {
  if (step.do === "await") return [step.until];
  return step.do === "reenter" ? step.steps.flatMap(awaited) : [];
}
