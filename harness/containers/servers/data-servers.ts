import { HarnessError } from "../../core/errors.ts";
import type { TopologyKind } from "../../core/topology.ts";
import { postgresServer } from "./postgres-server.ts";
import { redisServer } from "./redis-server.ts";
import type { DataServer } from "./server-kind.ts";

const DATA_SERVERS: Readonly<Partial<Record<TopologyKind, DataServer>>> = {
  single: redisServer,
  sentinel: redisServer,
  redlock: redisServer,
  postgres: postgresServer,
};

/** What the data nodes of a topology run. */
export function dataServerOf(kind: TopologyKind): DataServer {
  const server = DATA_SERVERS[kind];
  if (server === undefined) throw new HarnessError(`containers have no servers for the topology ${kind}`);
  return server;
}
