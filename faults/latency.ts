import fc from "fast-check";
import { z } from "zod";
import { defineFault } from "./define-fault.ts";
import { betweenShape, clientEdges } from "./edges.ts";
import { injectOnEdges } from "./network-fault.ts";

/**
 * Everything on the edges takes longer. Between a client and the rest only: node to node it needs `tc netem`.
 * Half of the delays are short beside a lease: a request that arrives late, but not too late.
 */
export const latency = defineFault({
  kind: "latency",
  summary: "everything between a client and some servers takes longer",
  params: z.strictObject({ ...betweenShape, delayMs: z.number().positive() }),
  arbitrary: (topology, clients) =>
    fc
      .tuple(
        clientEdges(topology, clients),
        fc.oneof(fc.integer({ min: 5, max: 200 }), fc.integer({ min: 5, max: 2000 })),
      )
      .map(([between, delayMs]) => ({ ...between, delayMs })),
  inject: (system, { delayMs, ...between }) =>
    injectOnEdges(system, between, { delayMs, act: (edge) => system.network.delay(edge, delayMs) }),
});
