import fc, { type Arbitrary } from "fast-check";
import { z } from "zod";
import type { InjectedFault } from "../harness/core/fault.ts";
import type { ClientHandle, PauseToCome } from "../harness/core/system.ts";
import { RESOURCE } from "../harness/core/topology.ts";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses, type ProcessAction } from "./process-fault.ts";
import { anyClient, resolveClients, resolveTargets, targetsSchema } from "./targets.ts";

const paramsSchema = z.strictObject({
  targets: targetsSchema,
  atSend: z.strictObject({ to: targetsSchema, count: z.int().positive().max(1000).default(1) }).optional(),
});
type Params = z.infer<typeof paramsSchema>;

/**
 * A client stops executing, as in a long garbage collection, and continues when healed. With `atSend` it does not stop
 * at once, but the `count`-th time that it is about to send something to one of those servers: its last check is then
 * outdated when its write arrives (Kleppmann 2016, "How to do distributed locking"). A backend that cannot see what a
 * client sends stops it at once.
 */
export const pauseClient = defineFault({
  kind: "pause-client",
  summary: "a client stops executing for a while, as during a long garbage collection",
  traits: { duration: "lasting", pauses: "client" },
  params: paramsSchema,
  arbitrary: (_, clients) => {
    const targets = anyClient(clients).map((client) => [client]);
    const to = fc.constantFrom<string[]>([RESOURCE], ["nodes"]);
    const atSend = fc.record({ to, count: fc.integer({ min: 1, max: 3 }) });
    return fc.oneof<[fc.WeightedArbitrary<Params>, Arbitrary<Params>]>(
      { weight: 2, arbitrary: fc.record({ targets }) },
      fc.record({ targets, atSend }),
    );
  },
  choices: ({ client }): readonly Params[] => [{ targets: [client] }],
  inject: async (system, { targets, atSend }) => {
    const clients = await resolveClients(system, targets);
    if (atSend === undefined) return injectOnProcesses(clients, AT_ONCE, RESUME);
    return pauseAtSend(clients, await resolveTargets(system, atSend.to), atSend.count);
  },
});

const AT_ONCE: ProcessAction<ClientHandle> = { from: ["running"], act: (client) => client.pause() };
const RESUME: ProcessAction<ClientHandle> = { from: ["paused"], act: (client) => client.resume() };

function pauseAtSend(clients: readonly ClientHandle[], to: readonly string[], count: number): Promise<InjectedFault> {
  if (clients.some((client) => client.pauseAtSend === undefined)) return injectOnProcesses(clients, AT_ONCE, RESUME);
  const pauses = new Map<ClientHandle, PauseToCome>();
  return injectOnProcesses(
    clients,
    {
      from: ["running"],
      act: async (client) => {
        const pause = await client.pauseAtSend?.(to, count);
        if (pause !== undefined) pauses.set(client, pause);
        return pause?.evidence ?? { observed: false, detail: `${client.name} cannot be stopped when it sends` };
      },
    },
    {
      // A client that never came to send still runs, and healing must say that it was not stopped.
      from: ["paused", "running"],
      act: (client) => pauses.get(client)?.end() ?? client.resume(),
    },
  );
}
