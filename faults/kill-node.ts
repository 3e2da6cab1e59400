import { z } from "zod";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyDataNodes, nodesToHit, resolveNodes, targetsSchema } from "./targets.ts";

/** Nodes die at once; healing starts them again with what they had on disk. */
export const killNode = defineFault({
  kind: "kill-node",
  summary: "nodes die immediately, as by SIGKILL, and restart later with the data on their disk",
  traits: {
    duration: "lasting",
    kills: "node",
    breaksConnections: true,
    loses: "memory",
    jepsen: { start: ["kill"], heal: ["start"] },
  },
  params: z.strictObject({ targets: targetsSchema }),
  arbitrary: (topology) => anyDataNodes(topology).map((targets) => ({ targets })),
  choices: (focus) => nodesToHit(focus).map((targets) => ({ targets })),
  inject: async (system, { targets }) =>
    injectOnProcesses(
      await resolveNodes(system, targets),
      { from: ["running", "paused"], act: (node) => node.kill() },
      { from: ["dead"], act: (node) => node.start({ keepData: true }) },
    ),
});
