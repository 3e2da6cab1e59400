import { z } from "zod";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyDataNodes, resolveNodes, targetsSchema } from "./targets.ts";

/** Nodes stop executing and go on, with all they had, when healed. */
export const pauseNode = defineFault({
  kind: "pause-node",
  summary: "nodes stop executing for a while and then go on with all they had",
  params: z.strictObject({ targets: targetsSchema }),
  arbitrary: (topology) => anyDataNodes(topology).map((targets) => ({ targets })),
  inject: async (system, { targets }) =>
    injectOnProcesses(
      await resolveNodes(system, targets),
      { from: ["running"], act: (node) => node.pause() },
      { from: ["paused"], act: (node) => node.resume() },
    ),
});
