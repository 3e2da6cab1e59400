import { z } from "zod";
import { UserError } from "./errors.ts";

/** The topologies of Redis servers, which both backends have. */
export const SIMULATED_TOPOLOGIES = ["single", "sentinel", "redlock"] as const;
export type SimulatedTopology = (typeof SIMULATED_TOPOLOGIES)[number];

/** Every kind of topology. Those of other servers than Redis are in containers only: the simulation has none of these. */
export const TOPOLOGIES = [...SIMULATED_TOPOLOGIES, "postgres", "zookeeper"] as const;

/**
 * A topology as a plan names it.
 * - `single`: one master, `node-0`.
 * - `sentinel`: a master `node-0`, replicas `node-1` and `node-2`, Sentinels `sentinel-0` to `sentinel-2`.
 * - `redlock`: five independent masters, `node-0` to `node-4`.
 * - `postgres`: one PostgreSQL server, `node-0`.
 * - `zookeeper`: one ZooKeeper server, `node-0`.
 * The guarded resource, `resource`, a Redis server, stands beside each of them.
 */
export const topologySchema = z.strictObject({
  kind: z.enum(TOPOLOGIES),
  /**
   * What a data node has on disk. Redis: nothing; an append-only file synced each second; or before each reply.
   * PostgreSQL: its write-ahead log, never synced; written and synced a little after the reply; or synced before it.
   * ZooKeeper: its transaction log, written before the reply, and synced before it with `always` only.
   */
  persistence: z.enum(["none", "everysec", "always"]).default("none"),
  /** Further directives of the servers' configuration file, for all data nodes: `{"min-replicas-to-write": "1"}`. */
  config: z.record(z.string(), z.string()).default({}),
});
export type TopologySpec = z.infer<typeof topologySchema>;
export type TopologyKind = TopologySpec["kind"];

/** A kind of server that can hold a lock. */
type DataServerName = "redis" | "postgres" | "zookeeper";

/** What the data nodes of a topology run. */
export function serverOf(kind: TopologyKind): DataServerName {
  return isSimulated(kind) ? "redis" : kind;
}

/** Whether the simulation has it. */
export function isSimulated(kind: TopologyKind): kind is SimulatedTopology {
  return SIMULATED_TOPOLOGIES.some((simulated) => simulated === kind);
}

/** The same kind, as one that the simulation has. @throws UserError when it has no such servers */
export function simulatedTopology(kind: TopologyKind): SimulatedTopology {
  if (isSimulated(kind)) return kind;
  throw new UserError(`the simulation has no servers for the topology ${kind}`, "run it with --backend containers");
}

const DATA_NODES: Readonly<Record<TopologyKind, number>> = {
  single: 1,
  sentinel: 3,
  redlock: 5,
  postgres: 1,
  zookeeper: 1,
};

/** The data nodes of a topology, in order. */
export function dataNodes(kind: TopologyKind): readonly string[] {
  return Array.from({ length: DATA_NODES[kind] }, (_, index) => `node-${index}`);
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
