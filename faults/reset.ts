import { z } from "zod";
import { combine, defineFault } from "./define-fault.ts";
import { betweenShape, clientEdgesInUse, endsOf, linksToHit, pairsOf, resolveEdges } from "./edges.ts";

/** Every connection between a client and some servers is reset, once. */
export const reset = defineFault({
  kind: "reset",
  summary: "connections between a client and some servers are reset once",
  traits: { duration: "instant", messages: "resets", breaksConnections: true },
  params: z.strictObject(betweenShape),
  arbitrary: clientEdgesInUse,
  choices: linksToHit,
  inject: async (system, params) => {
    // A reset has no direction: one per pair is enough.
    const edges = pairsOf(await resolveEdges(system, params));
    const resets = await Promise.all(edges.map((edge) => system.network.reset(edge)));
    const { outcome, evidence } = combine(resets);
    // A link without a connection has nothing to reset: one connection that was reset is the effect.
    const isSeen = resets.some(({ observed }) => observed);
    return { targets: endsOf(edges), outcome: isSeen ? "installed" : outcome, evidence };
  },
});
