import { faults } from "../../../faults/registry.ts";
import { type Plan, planSchema } from "../../core/plan.ts";
import { clientName } from "../../core/topology.ts";

/** The fault that stops a client. */
export const STOP_OF_CLIENT = faults.find(({ traits }) => traits.pauses === "client")!.kind;

/** How long a client is stopped between two commands: for longer than the other clients need for what they do in between. */
const STOPS_MS = [100, 400];
/** After which of its commands a client is stopped, counted from its first: the first few open its connection. */
const COMMANDS = 12;

/**
 * Plans without a fault, in which clients race, with a stop of one client between two of its commands: who comes in between
 * is else a matter of jitter.
 */
export function* separatedPlans(plan: Plan): Generator<Plan> {
  if (plan.faults.length > 0) return;
  const racing = plan.clients.flatMap(({ sections }, client) => (sections.length > 0 ? [client] : []));
  for (const afterMs of STOPS_MS) {
    for (let count = 1; count <= COMMANDS; count += 1) {
      for (const client of racing) {
        // A proxy before real servers sees this moment too.
        const at = { moment: "before" as const, client, count };
        const params = { targets: [clientName(client)] };
        const stop = { kind: STOP_OF_CLIENT, params, at, until: { ...at, afterMs } };
        // As a file of the plan gives it back.
        yield planSchema.parse({ ...plan, faults: [stop] });
      }
    }
  }
}
