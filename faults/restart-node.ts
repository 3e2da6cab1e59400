import fc from "fast-check";
import { z } from "zod";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyDataNodes, nodesToHit, resolveNodes, targetsSchema } from "./targets.ts";

/**
 * Nodes crash and are started again at once. They come back with what their persistence kept: without it, with nothing.
 * `keepData: false` loses the disk too. SIGKILL loses nothing that was written to an append-only file, synced or not;
 * that is `power-loss`.
 */
export const restartNode = defineFault({
  kind: "restart-node",
  summary: "nodes crash and restart immediately, with the data on their disk or with an empty disk",
  traits: { duration: "instant", kills: "node", breaksConnections: true, loses: "disk" },
  variant: { name: "disk-loss", otherwise: { loses: "memory" }, applies: ({ keepData }) => keepData === false },
  params: z.strictObject({ targets: targetsSchema, keepData: z.boolean().default(true) }),
  arbitrary: (topology) => fc.record({ targets: anyDataNodes(topology), keepData: fc.boolean() }),
  choices: (focus) => [false, true].flatMap((keepData) => nodesToHit(focus).map((targets) => ({ targets, keepData }))),
  inject: async (system, { targets, keepData }) =>
    injectOnProcesses(await resolveNodes(system, targets), {
      from: ["running", "paused"],
      act: async (node) => {
        const killed = await node.kill();
        const started = await node.start({ keepData });
        return { observed: killed.observed && started.observed, detail: `${killed.detail}; ${started.detail}` };
      },
    }),
});
