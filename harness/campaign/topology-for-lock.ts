import { lockFacts } from "../client/lock-facts.ts";
import { UserError } from "../core/errors.ts";
import { DEFAULT_TOPOLOGY, TOPOLOGIES, topologySchema, type TopologySpec } from "../core/topology.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";

/**
 * The requested topology, or the lock's first.
 * @throws UserError when the lock does not run on it
 */
export function topologyForLock(
  lock: string,
  asked: {
    readonly topology?: TopologyKind | undefined;
    readonly persistence?: TopologySpec["persistence"] | undefined;
  },
): TopologySpec {
  const supported: readonly TopologyKind[] = lockFacts(lock)?.topologies ?? TOPOLOGIES;
  const kind = asked.topology ?? supported[0] ?? DEFAULT_TOPOLOGY;
  if (supported.includes(kind)) return topologySchema.parse({ kind, persistence: asked.persistence ?? "none" });
  throw new UserError(`the lock ${lock} does not run on the topology ${kind}`, `choose one of ${supported.join(", ")}`);
}
