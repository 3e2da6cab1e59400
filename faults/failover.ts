import fc from "fast-check";
import { z } from "zod";
import { topologyOf } from "../harness/core/topologies/registry.ts";
import { combine, defineFault } from "./define-fault.ts";

/** An operator's failover: an operator tells a Sentinel to promote a replica while the master is healthy. */
export const failover = defineFault({
  kind: "failover",
  summary: "an operator tells a Sentinel to promote a replica while the master is healthy",
  traits: { duration: "instant", breaksConnections: true, loses: "unreplicated", promotes: "request" },
  params: z.strictObject({}),
  unsupportedReason: ({ kind }) => (topologyOf(kind).arrangement === "replicated" ? undefined : "it has no replicas"),
  arbitrary: () => fc.constant({}),
  choices: () => [{}],
  inject: async (system) => {
    const { masters } = await system.roles();
    return { targets: masters, ...combine([await system.requestFailover()]) };
  },
});
