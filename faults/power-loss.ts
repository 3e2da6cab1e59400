import { z } from "zod";
import type { Evidence, NodeHandle } from "../harness/core/system.ts";
import { topologyOf } from "../harness/core/topologies/registry.ts";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyDataNodes, nodesToHit, resolveNodes, targetsSchema } from "./targets.ts";

/**
 * Nodes lose power and get it back at once. What was written and not yet synced is lost: up to a second of an
 * append-only file with `everysec`, nothing with `always` (Redis documentation, Redis persistence).
 */
export const powerLoss = defineFault({
  kind: "power-loss",
  summary: "nodes lose power and restart, without the data that was not yet synced to disk",
  traits: { duration: "instant", kills: "node", breaksConnections: true, loses: "unsynced" },
  params: z.strictObject({ targets: targetsSchema }),
  unsupportedReason: ({ kind, persistence }) =>
    topologyOf(kind).server === "redis" || persistence === "always"
      ? undefined
      : `with persistence ${persistence} it is unknown outside the server which data it has synced`,
  arbitrary: (topology) => anyDataNodes(topology).map((targets) => ({ targets })),
  choices: (focus) => nodesToHit(focus).map((targets) => ({ targets })),
  inject: async (system, { targets }) => {
    const nodes = await resolveNodes(system, targets);
    if (nodes.some((each) => each.losePower === undefined)) {
      return { targets, outcome: "skipped", evidence: "this backend cannot simulate a power loss" };
    }
    return injectOnProcesses(nodes, { from: ["running", "paused"], act: restart });
  },
});

async function restart(node: NodeHandle): Promise<Evidence> {
  const lost = (await node.losePower?.()) ?? { observed: false, detail: `${node.name} kept its power` };
  const started = await node.start({ keepData: true });
  return { observed: lost.observed && started.observed, detail: `${lost.detail}; ${started.detail}` };
}
