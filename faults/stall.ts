import { z } from "zod";
import { defineFault } from "./define-fault.ts";
import { betweenShape, clientEdges, heldOnlyFromClients, linksToHit } from "./edges.ts";
import { injectOnEdges } from "./network-fault.ts";

/** Bytes between a client and some servers are taken and held; they arrive, in order, when it heals. */
export const stall = defineFault({
  kind: "stall",
  summary: "bytes between a client and some servers are held and arrive later",
  traits: { duration: "lasting", messages: "holds", breaksConnections: true },
  milder: heldOnlyFromClients,
  params: z.strictObject(betweenShape),
  arbitrary: clientEdges,
  choices: linksToHit,
  inject: (system, params) =>
    injectOnEdges(system, params, { delayMs: Infinity, act: (edge) => system.network.stall(edge) }),
});
