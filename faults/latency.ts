import fc from "fast-check";
import { z } from "zod";
import { lengthMs } from "../harness/core/plan-bounds.ts";
import { defineFault } from "./define-fault.ts";
import { betweenShape, clientEdges, heldOnlyFromClients, linksToHit, oneWayOf } from "./edges.ts";
import { injectOnEdges } from "./network-fault.ts";

/**
 * All traffic on the edges is delayed. Only between a client and the rest: between nodes it needs `tc netem`. Half of
 * the delays are short compared with a lease: the request arrives late, but not too late.
 */
export const latency = defineFault({
  kind: "latency",
  summary: "messages between a client and some servers take longer",
  traits: { duration: "lasting", messages: "holds" },
  milder: heldOnlyFromClients,
  params: z.strictObject({ ...betweenShape, delayMs: lengthMs }),
  arbitrary: (topology, clients) =>
    fc
      .tuple(
        clientEdges(topology, clients),
        fc.oneof(fc.integer({ min: 5, max: 200 }), fc.integer({ min: 5, max: 2000 })),
      )
      .map(([between, delayMs]) => ({ ...between, delayMs })),
  choices: (focus) =>
    linksToHit(focus).flatMap((between) =>
      [0.2, 1.2].map((share) => ({ ...between, delayMs: Math.round(share * focus.leaseMs) })),
    ),
  holdsOne: (focus, way, delayMs) => ({ ...oneWayOf(focus, way), delayMs }),
  inject: (system, { delayMs, ...between }) =>
    injectOnEdges(system, between, { delayMs, act: (edge) => system.network.delay(edge, delayMs) }),
});
