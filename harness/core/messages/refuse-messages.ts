import { UserError } from "../errors.ts";
import type { Plan } from "../plan.ts";
import { dataNodes, sentinelNodes } from "../topology.ts";
import type { MessageMoment } from "../trigger.ts";
import { messageTriggersOf } from "./plan-triggers.ts";
import { messageWords } from "./trigger-words.ts";

/**
 * Refuses a plan with a trigger that waits for a message that cannot come.
 * @param moments the moments at which a message can be met where the plan shall run
 * @throws UserError when a trigger names a server or a client that the plan does not have, or another moment
 */
export function refuseImpossibleMessages(plan: Plan, moments: readonly MessageMoment[]): void {
  const servers = [...dataNodes(plan.topology.kind), ...sentinelNodes(plan.topology.kind)];
  for (const trigger of messageTriggersOf(plan)) {
    const { moment, client, server } = trigger;
    const waits = `a trigger waits for ${messageWords(trigger)}`;
    if (server !== undefined && !servers.includes(server)) {
      throw new UserError(`${waits}, but the plan has no such server`, `name one of ${servers.join(", ")}`);
    }
    if (client !== undefined && client >= plan.clients.length) {
      const last = plan.clients.length - 1;
      throw new UserError(`${waits}, but the plan has no such client`, `name a client from 0 to ${last}`);
    }
    if (!moments.includes(moment)) {
      const hint = moments.length === 0 ? "" : `, or wait for ${moments.join(" or ")}`;
      throw new UserError(
        `${waits} at the moment "${moment}", which is simulated only`,
        `run the plan in simulation${hint}`,
      );
    }
  }
}
