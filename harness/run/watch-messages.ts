import type { Plan } from "../core/plan.ts";
import { messageTriggersOf } from "../core/messages/plan-triggers.ts";
import { refuseImpossibleMessages } from "../core/messages/refuse-messages.ts";
import type { SystemUnderTest } from "../core/system.ts";
import type { MessageTrigger } from "../core/trigger.ts";
import { sameMessage, type TriggerBoard } from "./trigger-board.ts";

/**
 * Returns a function that has the board told of the commands that triggers of the plan wait for; undefined if none
 * does, and then nothing is to be watched.
 * @throws UserError when a trigger cannot come in this system
 */
export function messageWatch(
  plan: Plan,
  { messages }: SystemUnderTest,
): ((board: TriggerBoard) => Promise<void>) | undefined {
  refuseImpossibleMessages(plan, messages?.moments ?? []);
  const triggers: MessageTrigger[] = [];
  for (const trigger of messageTriggersOf(plan)) {
    if (!triggers.some((other) => sameMessage(other, trigger))) triggers.push(trigger);
  }
  if (messages === undefined || triggers.length === 0) return undefined;
  return (board) =>
    messages.watch(triggers, async (index) => {
      const message = triggers[index];
      if (message !== undefined) await board.publish({ message });
    });
}
