import { topologyOf } from "../core/topologies/registry.ts";
import { dataNodes, RESOURCE, sentinelNodes, type TopologySpec } from "../core/topology.ts";
import { resourceConfiguration, sentinelConfiguration } from "./servers/redis-configuration.ts";
import { dataServerOf } from "./servers/data-servers.ts";
import { redisServer } from "./servers/redis-server.ts";
import { sentinelServer } from "./servers/sentinel-server.ts";
import type { ServerKind } from "./servers/server-kind.ts";

/** One node of a topology, before it is started. */
export interface NodeLayout {
  readonly name: string;
  readonly role: "data" | "sentinel" | "resource";
  /** The address of the data node that it follows at first, if it is a replica. */
  readonly follows?: string | undefined;
  /** The server in it. */
  readonly kind: ServerKind;
  /** Its static address in the run's network. */
  readonly address: string;
  /** The arguments of the container. */
  readonly command: readonly string[];
  /** The configuration file of its server. */
  readonly configuration: string;
  /** Whether it may acknowledge what it has not yet synced to disk, so that a power loss loses more than a kill. */
  readonly syncsLate: boolean;
}

/**
 * All nodes of a topology with their addresses and configurations: data nodes, Sentinels, the guarded resource.
 * @param addressOf the address of host number n in the run's network
 */
export function layOut(topology: TopologySpec, addressOf: (host: number) => string): readonly NodeLayout[] {
  const server = dataServerOf(topology.kind);
  const data = dataNodes(topology.kind).map((name, index) => ({ name, address: addressOf(10 + index) }));
  const sentinels = sentinelNodes(topology.kind).map((name, index) => ({ name, address: addressOf(20 + index) }));
  const [master, ...replicas] = data.map(({ address }) => address);
  const replicated = topologyOf(topology.kind).arrangement === "replicated";
  const syncsLate = server.syncsLate(topology);
  return [
    ...data.map(({ name, address }): NodeLayout => {
      const follows = replicated && address !== master ? master : undefined;
      const configuration = server.configuration(topology, follows);
      return { name, role: "data", follows, kind: server, address, command: server.command, configuration, syncsLate };
    }),
    ...sentinels.map(({ name, address }): NodeLayout => {
      const others = sentinels.filter((other) => other.name !== name);
      const configuration = sentinelConfiguration({ name, master: master ?? "", replicas, others });
      const command = ["sentinel"];
      return { name, role: "sentinel", kind: sentinelServer, address, command, configuration, syncsLate };
    }),
    {
      name: RESOURCE,
      role: "resource",
      kind: redisServer,
      address: addressOf(30),
      command: redisServer.command,
      configuration: resourceConfiguration(),
      syncsLate: false,
    },
  ];
}

/**
 * The names of the images that a topology runs, that of its data nodes first; `redisImage` is the one chosen for Redis
 * servers.
 */
export function imagesOf(topology: TopologySpec, redisImage: string): readonly string[] {
  const layout = layOut(topology, String);
  return [...new Set(layout.map(({ kind }) => kind.image(redisImage)))];
}

/** Whether its servers can be reset while they run, and so be kept from run to run. */
export function isRenewable(topology: TopologySpec): boolean {
  return layOut(topology, String).every(({ kind }) => kind.renewable);
}
