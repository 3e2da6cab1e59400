import { topologyOf, type ServerName, type TopologyKind } from "../../core/topologies/registry.ts";
import { postgresServer } from "./postgres-server.ts";
import { redisServer } from "./redis-server.ts";
import type { DataServer } from "./server-kind.ts";
import { zookeeperServer } from "./zookeeper-server.ts";

const DATA_SERVERS: Readonly<Record<ServerName, DataServer>> = {
  redis: redisServer,
  postgres: postgresServer,
  zookeeper: zookeeperServer,
};

/** The kind of server that the data nodes of a topology run. */
export function dataServerOf(kind: TopologyKind): DataServer {
  return DATA_SERVERS[topologyOf(kind).server];
}
