import { z } from "zod";
import { RESOURCE } from "../harness/core/topology.ts";
import { combine, defineFault } from "./define-fault.ts";

/**
 * The guarded resource loses the largest fencing token it has accepted, as a resource that keeps it only in memory
 * loses it in a restart; the guarded data stay. Searches leave it out: it is a flaw of the resource, and no lock can
 * prevent it.
 */
export const forgetFences = defineFault({
  kind: "forget-fences",
  summary: "the guarded resource forgets the largest fencing token it has accepted",
  traits: { duration: "instant", loses: "fences" },
  params: z.strictObject({}),
  arbitrary: () => undefined,
  inject: async (system) => ({ targets: [RESOURCE], ...combine([await system.resource.forgetFences()]) }),
});
