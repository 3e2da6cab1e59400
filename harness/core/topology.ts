import { z } from "zod";

/**
 * A topology as a plan names it.
 * - `single`: one master, `node-0`.
 * - `sentinel`: a master `node-0`, replicas `node-1` and `node-2`, Sentinels `sentinel-0` to `sentinel-2`.
 * - `redlock`: five independent masters, `node-0` to `node-4`.
 * The guarded resource, `resource`, stands beside each of them.
 */
export const topologySchema = z.strictObject({
  kind: z.enum(["single", "sentinel", "redlock"]),
  /** What a data node has on disk: nothing; an append-only file synced each second; or before each reply. */
  persistence: z.enum(["none", "everysec", "always"]).default("none"),
  /** Further directives of redis.conf for all data nodes, for example `{"min-replicas-to-write": "1"}`. */
  config: z.record(z.string(), z.string()).default({}),
});
export type TopologySpec = z.infer<typeof topologySchema>;
export type TopologyKind = TopologySpec["kind"];

/** The data nodes of a topology, in order. */
export function dataNodes(kind: TopologyKind): readonly string[] {
  return Array.from({ length: { single: 1, sentinel: 3, redlock: 5 }[kind] }, (_, index) => `node-${index}`);
}

/** The Sentinels of a topology, in order. */
export function sentinelNodes(kind: TopologyKind): readonly string[] {
  return kind === "sentinel" ? ["sentinel-0", "sentinel-1", "sentinel-2"] : [];
}

/** The name of client `index`. */
export function clientName(index: number): string {
  return `client-${index}`;
}

export const RESOURCE = "resource";

/** The name under which the Sentinels watch the master. */
export const MASTER_NAME = "lockstorm";
