import { faults } from "../../../faults/registry.ts";
import type { Plan } from "../../core/plan.ts";
import { clientName, RESOURCE } from "../../core/topology.ts";
import { NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import { familyOfOneMessage } from "../../../workloads/deviations/families.ts";
import { sameGroup } from "../../../workloads/deviations/rounds.ts";
import type { Lesson } from "./systematic-plans.ts";

/** For how many leases a reply is held: no deviation lasts longer. */
const HELD_LEASES = 2.5;
/** Who goes on sooner did not wait for this reply: another server had answered, or another command was under way. */
const LEAST_MS = 20;

/**
 * How long a client waits for a reply before it goes on without it: it ends the operation, or sends another command. Found
 * by holding the first reply of an acquire in a run of the plan, in simulation.
 * @returns undefined if it waits for longer than the reply is held, or asks several servers and needs no single one
 */
export async function patienceOf(
  plan: Plan,
  { history, messages }: Lesson,
  learn: (plan: Plan) => Promise<Lesson>,
): Promise<number | undefined> {
  const fault = faults.find(({ holdsOne }) => holdsOne !== undefined);
  const asked = messages.find(
    ({ client, server, keys, operation }) =>
      client === 0 &&
      server !== RESOURCE &&
      keys.length > 0 &&
      operation !== undefined &&
      history.events[operation]?.f === "acquire",
  );
  if (fault === undefined || asked === undefined) return undefined;
  const { client, server, command, count } = asked;
  const { topology, clients } = plan;
  const leaseMs = Math.max(...clients.flatMap(({ sections }) => sections.map(({ ttlMs }) => ttlMs)));
  const focus = { topology, clients: clients.length, client: clientName(client), servers: [server], leaseMs };
  const heldMs = HELD_LEASES * leaseMs;
  const step = familyOfOneMessage(fault, { phase: "after" }, focus)?.stepAt(
    { moment: "after", command, client, server, count },
    heldMs,
  );
  if (step === undefined) return undefined;
  const patienceMs = waitedMs(await learn({ ...plan, faults: [step] }), asked);
  return patienceMs !== undefined && patienceMs >= LEAST_MS && patienceMs < heldMs ? patienceMs : undefined;
}

/** From the sending of a message until its client sent another one, or was done with the operation. */
function waitedMs({ history: { events }, messages }: Lesson, asked: WireMessage): number | undefined {
  const { client, server, command, count } = asked;
  const held = messages.find(
    (each) => each.client === client && each.server === server && each.command === command && each.count === count,
  );
  if (held?.operation === undefined) return undefined;
  const process = events[held.operation]?.process;
  const done = events.find(({ index, process: of }) => of === process && index > held.operation!);
  // Other servers are asked the same beside it.
  const sent = messages.filter(
    (other) =>
      other.client === client &&
      other.server !== RESOURCE &&
      other.sentNs > held.sentNs &&
      (other.server === server || !sameGroup(other, held)),
  );
  const nextNs = Math.min(done?.time ?? Infinity, ...sent.map(({ sentNs }) => sentNs));
  return Number.isFinite(nextNs) ? Math.round((nextNs - held.sentNs) / NANOSECONDS_PER_MS) : undefined;
}
