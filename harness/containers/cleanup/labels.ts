import { z } from "zod";
import { thisProcess, type Owner } from "./process-identity.ts";

/** Label with the id of the run; everything that carries it is ours. */
export const RUN_LABEL = "lockstorm.run";

const labelsSchema = z
  .object({
    "lockstorm.pid": z.coerce.number().int(),
    "lockstorm.pid-start": z.string(),
    "lockstorm.host": z.string(),
    "lockstorm.boot": z.string(),
    "lockstorm.pid-namespace": z.string(),
  })
  .transform((labels): Owner => ({
    pid: labels["lockstorm.pid"],
    start: labels["lockstorm.pid-start"],
    hostname: labels["lockstorm.host"],
    boot: labels["lockstorm.boot"],
    namespace: labels["lockstorm.pid-namespace"],
  }));

/**
 * The labels of every container and network of a run: the run, and the process that answers for it, this one by
 * default.
 */
export function runLabels(runId: string, owner: Owner = thisProcess()): Record<string, string> {
  return {
    [RUN_LABEL]: runId,
    "lockstorm.pid": String(owner.pid),
    "lockstorm.pid-start": owner.start,
    "lockstorm.host": owner.hostname,
    "lockstorm.boot": owner.boot,
    "lockstorm.pid-namespace": owner.namespace,
  };
}

/** The process that answers for the resources with these labels; undefined where they do not name one. */
export function ownerFromLabels(labels: Readonly<Record<string, string>>): Owner | undefined {
  return labelsSchema.safeParse(labels).data;
}
