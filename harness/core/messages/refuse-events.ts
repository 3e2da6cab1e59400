import { UserError } from "../errors.ts";
import type { Plan } from "../plan.ts";
import { isEventTrigger } from "../trigger.ts";
import { triggersOf } from "./plan-triggers.ts";

/**
 * Refuses a plan that somebody wrote with a trigger that waits for an event that cannot come: nothing would happen, and nothing
 * would say why. A search leaves such triggers alone, because a plan that it makes smaller may lose a client.
 * @throws UserError when a trigger waits for an event of a client or a fault that the plan does not have
 */
export function refuseImpossibleEvents(plan: Plan): void {
  for (const trigger of triggersOf(plan).filter(isEventTrigger)) {
    refuse(trigger.on, "client", trigger.client, plan.clients.length);
    refuse(trigger.on, "fault", trigger.fault, plan.faults.length);
  }
}

function refuse(on: string, what: "client" | "fault", named: number | undefined, count: number): void {
  if (named === undefined || named < count) return;
  const hint = count === 0 ? `the plan has no ${what}s` : `name a ${what} from 0 to ${count - 1}`;
  throw new UserError(`a trigger waits for ${on} of ${what} ${named}, but the plan has no such ${what}`, hint);
}
