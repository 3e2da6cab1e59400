import { z } from "zod";
import { DIRECTIVE_NAME, DIRECTIVE_VALUE, redisDirectiveProblem } from "./directives.ts";
import { UserError } from "./errors.ts";
import { single } from "./topologies/single.ts";
import { knownTopology, topologies, topologyOf, type TopologyKind } from "./topologies/registry.ts";

/** Every kind of topology, in the order in which help texts list them. */
export const TOPOLOGIES = topologies.map(({ kind }) => kind);

/** The topology of plans that name none. */
export const DEFAULT_TOPOLOGY = single.kind;

/**
 * A topology as a plan names it: its kind (one file each in `topologies`) and what its servers persist. Each topology
 * also has the guarded resource, a Redis server named `resource`.
 */
export const topologySchema = z
  .strictObject({
    kind: z.enum(TOPOLOGIES),
    /**
     * What a data node has on disk. Redis: nothing; an append-only file synced each second; or before each reply.
     * PostgreSQL: its write-ahead log, never synced; written and synced a little after the reply; or synced before it.
     * ZooKeeper: its transaction log, written before the reply, and synced before it with `always` only.
     */
    persistence: z.enum(["none", "everysec", "always"]).default("none"),
    /**
     * Further directives of the servers' configuration file, for all data nodes: `{"min-replicas-to-write": "1"}`. A
     * value is one line without backslashes; a plan may not set those by which the harness reaches its servers.
     */
    config: z
      .record(
        z.string().regex(DIRECTIVE_NAME, "is not the name of a directive"),
        z
          .string()
          .regex(DIRECTIVE_VALUE, "is not a value: give one line of at most 1000 characters, without backslashes"),
      )
      .default({}),
  })
  .superRefine(({ kind, config }, context) => {
    if (topologyOf(kind).server !== "redis") return;
    for (const [name, value] of Object.entries(config)) {
      const message = redisDirectiveProblem(name, value);
      if (message !== undefined) context.addIssue({ code: "custom", path: ["config", name], message });
    }
  });
export type TopologySpec = z.infer<typeof topologySchema>;

/** Whether the simulation supports it. */
export function isSimulated(kind: TopologyKind): boolean {
  return knownTopology(kind)?.backends.includes("simulated") === true;
}

/** @throws UserError when the simulation has no such servers */
export function requireSimulated(kind: TopologyKind): void {
  if (isSimulated(kind)) return;
  throw new UserError(`the simulation has no servers for the topology ${kind}`, "run it with --backend containers");
}

/** The data nodes of a topology, in order. */
export function dataNodes(kind: TopologyKind): readonly string[] {
  return Array.from({ length: topologyOf(kind).dataNodes }, (_, index) => `node-${index}`);
}

/** The Sentinels of a topology, in order. */
export function sentinelNodes(kind: TopologyKind): readonly string[] {
  return Array.from({ length: topologyOf(kind).sentinels }, (_, index) => `sentinel-${index}`);
}

/** The name of client `index`. */
export function clientName(index: number): string {
  return `client-${index}`;
}

export const RESOURCE = "resource";
