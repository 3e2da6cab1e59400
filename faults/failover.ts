import fc from "fast-check";
import { z } from "zod";
import { isSimulated } from "../harness/core/topology.ts";
import { combine, defineFault } from "./define-fault.ts";

/** An operator's failover: a Sentinel is told to promote a replica although the master is well. */
export const failover = defineFault({
  kind: "failover",
  summary: "a Sentinel is told to promote a replica although the master is well",
  params: z.strictObject({}),
  lack: ({ kind }) => (isSimulated(kind) ? undefined : "it has no replicas"),
  arbitrary: (topology) => (topology.kind === "sentinel" ? fc.constant({}) : undefined),
  inject: async (system) => {
    const { masters } = await system.roles();
    return { targets: masters, ...combine([await system.requestFailover()]) };
  },
});
