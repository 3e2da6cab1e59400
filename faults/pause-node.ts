import { z } from "zod";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyDataNodes, nodesToHit, resolveNodes, targetsSchema } from "./targets.ts";

/** Nodes stop executing, and continue with all their data when healed. */
export const pauseNode = defineFault({
  kind: "pause-node",
  summary: "nodes stop executing for a while and then continue with all their data",
  traits: { duration: "lasting", pauses: "node", jepsen: { start: ["pause"], heal: ["resume"] } },
  params: z.strictObject({ targets: targetsSchema }),
  arbitrary: (topology) => anyDataNodes(topology).map((targets) => ({ targets })),
  choices: (focus) => nodesToHit(focus).map((targets) => ({ targets })),
  inject: async (system, { targets }) =>
    injectOnProcesses(
      await resolveNodes(system, targets),
      { from: ["running"], act: (node) => node.pause() },
      { from: ["paused"], act: (node) => node.resume() },
    ),
});
