import { z } from "zod";
import { RESOURCE } from "../harness/core/topology.ts";
import { combine, defineFault } from "./define-fault.ts";

/**
 * The guarded resource loses the largest fencing token it has accepted, as one does that keeps it in memory only and is
 * started again; the guarded data stay. Not searched for: it is the resource's failing, and no lock can help it.
 */
export const forgetFences = defineFault({
  kind: "forget-fences",
  summary: "the guarded resource forgets the largest fencing token it has accepted",
  params: z.strictObject({}),
  arbitrary: () => undefined,
  inject: async (system) => ({ targets: [RESOURCE], ...combine([await system.resource.forgetFences()]) }),
});
