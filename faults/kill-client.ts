import { z } from "zod";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyClient, resolveClients, targetsSchema } from "./targets.ts";

/** A client dies at once and does not come back. */
export const killClient = defineFault({
  kind: "kill-client",
  summary: "a client dies immediately and does not come back",
  traits: { duration: "lasting", kills: "client" },
  params: z.strictObject({ targets: targetsSchema }),
  arbitrary: (_, clients) => anyClient(clients).map((client) => ({ targets: [client] })),
  choices: ({ client }) => [{ targets: [client] }],
  inject: async (system, { targets }) =>
    injectOnProcesses(await resolveClients(system, targets), {
      from: ["running", "paused"],
      act: (client) => client.kill(),
    }),
});
