import { faults } from "../../../faults/registry.ts";
import { type ClientPlan, type Plan, planSchema } from "../../core/plan.ts";
import { clientName } from "../../core/topology.ts";

/** The fault that stops a client. */
export const STOP_OF_CLIENT = faults.find(({ traits }) => traits.pauses === "client")!.kind;

/** How long a client is stopped between two commands: for longer than the other clients need for what they do in between. */
const STOPS_MS = [100, 400];
/** After which of its commands a client is stopped, counted from its first: the first few open its connection. */
const COMMANDS = 12;

/**
 * Plans without a fault, in which clients race, with a stop of one client between two of its commands: who comes in between
 * is else a matter of jitter. The others hold for longer than that one is stopped: they may all have been granted the lock
 * within the same millisecond, and whoever is stopped would come when they are gone. First those in which the others begin
 * only when that one is stopped: who sends the first command is else a matter of jitter, too.
 */
export function* separatedPlans(plan: Plan): Generator<Plan> {
  if (plan.faults.length > 0) return;
  const racing = plan.clients.flatMap(({ sections }, client) => (sections.length > 0 ? [client] : []));
  for (const afterMs of STOPS_MS) {
    for (let count = 1; count <= COMMANDS; count += 1) {
      for (const client of racing) {
        const stopped = withStop(plan, client, { count, afterMs });
        // As a file of the plan gives it back.
        yield planSchema.parse(othersBeginningAtStop(stopped, client));
        yield planSchema.parse(stopped);
      }
    }
  }
}

function withStop(plan: Plan, client: number, { count, afterMs }: { count: number; afterMs: number }): Plan {
  // A proxy before real servers sees this moment too.
  const at = { moment: "before" as const, client, count };
  const stop = { kind: STOP_OF_CLIENT, params: { targets: [clientName(client)] }, at, until: { ...at, afterMs } };
  const clients = plan.clients.map((each, index) => (index === client ? each : outlasting(each, afterMs)));
  return { ...plan, clients, faults: [stop] };
}

/** The first section of the stopped client begins at once, those of the others when it is stopped. */
function othersBeginningAtStop(plan: Plan, stopped: number): Plan {
  const atStop = { on: "fault:start" as const, fault: 0 };
  const clients = plan.clients.map(({ sections }, client) => ({
    sections: sections.map((section, place): ClientPlan["sections"][number] => {
      if (place > 0) return section;
      const { after: _, ...atOnce } = section;
      return client === stopped ? atOnce : { ...atOnce, after: atStop };
    }),
  }));
  return { ...plan, clients };
}

/** How much longer than a stop the other clients hold: the stopped one has to finish what it began. */
const LONGER = 2;

/** The client, which holds for longer than another one is stopped, and within its leases. */
function outlasting({ sections }: ClientPlan, stopMs: number): ClientPlan {
  const forMs = LONGER * stopMs;
  return {
    sections: sections.map((section): ClientPlan["sections"][number] => {
      const others = section.steps.filter((step) => step.do !== "hold");
      if (heldMs(section.steps) >= forMs) return section;
      const ttlMs = Math.max(section.ttlMs, 2 * forMs);
      return { ...section, ttlMs, steps: [{ do: "hold", forMs }, ...others] };
    }),
  };
}

function heldMs(steps: ClientPlan["sections"][number]["steps"]): number {
  return steps.reduce((sum, step) => sum + (step.do === "hold" ? step.forMs : 0), 0);
}
