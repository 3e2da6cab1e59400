import { z } from "zod";
import { defineFault } from "./define-fault.ts";
import { anyEdges, betweenShape, edgesToHit, heldOnlyFromClients } from "./edges.ts";
import { injectOnEdges } from "./network-fault.ts";

/** A network partition between groups of clients, nodes and Sentinels, both ways or one way. */
export const partition = defineFault({
  kind: "partition",
  summary: "no message passes between two groups; established connections hang",
  traits: {
    duration: "lasting",
    messages: "holds",
    breaksConnections: true,
    jepsen: { start: ["start-partition"], heal: ["stop-partition"] },
  },
  milder: heldOnlyFromClients,
  params: z.strictObject(betweenShape),
  arbitrary: anyEdges,
  choices: edgesToHit,
  inject: (system, params) =>
    injectOnEdges(system, params, { delayMs: Infinity, act: (edge) => system.network.cut(edge) }),
});
