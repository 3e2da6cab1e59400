import { UserError } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import { messageTriggersOf } from "../core/messages/plan-triggers.ts";
import type { SystemUnderTest } from "../core/system.ts";
import type { MessageTrigger } from "../core/trigger.ts";
import { sameMessage, type TriggerBoard } from "./trigger-board.ts";

/**
 * Returns a function that has the board told of the commands that triggers of the plan wait for; undefined if none
 * does, and then nothing is to be watched.
 * @throws UserError when the system cannot tell of them
 */
export function messageWatch(
  plan: Plan,
  { messages }: SystemUnderTest,
): ((board: TriggerBoard) => Promise<void>) | undefined {
  const triggers: MessageTrigger[] = [];
  for (const trigger of messageTriggersOf(plan)) {
    if (!triggers.some((other) => sameMessage(other, trigger))) triggers.push(trigger);
  }
  const [first] = triggers;
  if (first === undefined) return undefined;
  const impossible = messages === undefined ? first : triggers.find(({ moment }) => !messages.moments.includes(moment));
  if (messages === undefined || impossible !== undefined) {
    throw new UserError(
      `a trigger of the plan waits for the moment "${impossible?.moment}" of a message, which cannot be met here`,
      "run the plan in simulation",
    );
  }
  return (board) =>
    messages.watch(triggers, async (index) => {
      const message = triggers[index];
      if (message !== undefined) await board.publish({ message });
    });
}
