import type { TopologyKind } from "../../core/topology.ts";
import { postgresServer } from "./postgres-server.ts";
import { redisServer } from "./redis-server.ts";
import type { DataServer } from "./server-kind.ts";
import { zookeeperServer } from "./zookeeper-server.ts";

const DATA_SERVERS: Readonly<Record<TopologyKind, DataServer>> = {
  single: redisServer,
  sentinel: redisServer,
  redlock: redisServer,
  postgres: postgresServer,
  zookeeper: zookeeperServer,
};

/** What the data nodes of a topology run. */
export function dataServerOf(kind: TopologyKind): DataServer {
  return DATA_SERVERS[kind];
}
