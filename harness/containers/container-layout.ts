import { dataNodes, RESOURCE, sentinelNodes, type TopologySpec } from "../core/topology.ts";
import {
  dataNodeConfiguration,
  REDIS_PORT,
  resourceConfiguration,
  SENTINEL_PORT,
  sentinelConfiguration,
} from "./redis-configuration.ts";

/** One node of a topology, before it is started. */
export interface NodeLayout {
  readonly name: string;
  readonly role: "data" | "sentinel" | "resource";
  /** Its static address in the run's network. */
  readonly address: string;
  readonly port: number;
  /** What the container is told to run. */
  readonly command: readonly string[];
  /** Its redis.conf or sentinel.conf. */
  readonly configuration: string;
}

/**
 * All nodes of a topology with their addresses and configurations: data nodes, Sentinels, the guarded resource.
 * @param addressOf the address of host number n in the run's network
 */
export function layOut(topology: TopologySpec, addressOf: (host: number) => string): readonly NodeLayout[] {
  const data = dataNodes(topology.kind).map((name, index) => ({ name, address: addressOf(10 + index) }));
  const sentinels = sentinelNodes(topology.kind).map((name, index) => ({ name, address: addressOf(20 + index) }));
  const [master, ...replicas] = data.map(({ address }) => address);
  const replicated = topology.kind === "sentinel";
  return [
    ...data.map(({ name, address }): NodeLayout => {
      const follows = replicated && address !== master ? master : undefined;
      const configuration = dataNodeConfiguration(topology, follows);
      return { name, role: "data", address, port: REDIS_PORT, command: ["server"], configuration };
    }),
    ...sentinels.map(({ name, address }): NodeLayout => {
      const others = sentinels.filter((other) => other.name !== name);
      const configuration = sentinelConfiguration({ name, master: master ?? "", replicas, others });
      return { name, role: "sentinel", address, port: SENTINEL_PORT, command: ["sentinel"], configuration };
    }),
    {
      name: RESOURCE,
      role: "resource",
      address: addressOf(30),
      port: REDIS_PORT,
      command: ["server"],
      configuration: resourceConfiguration(),
    },
  ];
}
