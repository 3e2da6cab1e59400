import type { FaultClass } from "../../faults/registry.ts";
import type { Limit } from "../claims.ts";

/** What can delay an answer until the lease that it grants is over. */
export const delaysAnswers = [
  "pause-client",
  "partition",
  "latency",
  "stall",
  "pause-node",
] as const satisfies readonly FaultClass[];

/** A limit of `redlock` 5 and its forks: their `extend` does not compare the elapsed time with the TTL. */
export const lateExtensions: readonly Limit[] = delaysAnswers.map((under) => ({
  property: "linearizability",
  topology: "redlock",
  under,
  cause: "expired-grant",
  source: "its extend succeeds when a quorum has answered, though the lease is over by then and others held the lock",
}));
