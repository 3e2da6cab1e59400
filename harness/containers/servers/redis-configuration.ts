import { createHash } from "node:crypto";
import { redisDirective } from "../../core/directives.ts";
import { type TopologySpec } from "../../core/topology.ts";
import { MASTER_NAME } from "../../core/topologies/sentinel.ts";

export const REDIS_PORT = 6379;
export const SENTINEL_PORT = 26379;

/** Name of a server's log in its control directory, where it outlives the container. */
export const NODE_LOG = "node.log";
const logfile = `/control/${NODE_LOG}`;

/** The redis.conf of a data node. `masterAddress` makes it a replica. */
export function dataNodeConfiguration(topology: TopologySpec, masterAddress?: string): string {
  const directives: Record<string, string> = {
    port: String(REDIS_PORT),
    dir: "/data",
    logfile,
    save: "",
    appendonly: topology.persistence === "none" ? "no" : "yes",
    ...(topology.persistence === "none" ? {} : { appendfsync: topology.persistence }),
    // Settings that make replication ready within milliseconds: no wait for further replicas, no file in between, a
    // ping each second.
    "repl-diskless-sync": "yes",
    "repl-diskless-sync-delay": "0",
    "repl-diskless-load": "swapdb",
    "repl-ping-replica-period": "1",
    ...(masterAddress === undefined ? {} : { replicaof: `${masterAddress} ${REDIS_PORT}` }),
    ...topology.config,
  };
  return lines(directives);
}

/** The redis.conf of the guarded resource: every accepted write is on disk before it is acknowledged. */
export function resourceConfiguration(): string {
  const durable = { save: "", appendonly: "yes", appendfsync: "always" };
  return lines({ port: String(REDIS_PORT), dir: "/data", logfile, ...durable });
}

/** The identity of a Sentinel, known in advance so that Sentinels can be told about each other at once. */
export function sentinelId(name: string): string {
  return createHash("sha1").update(name).digest("hex");
}

/** What Sentinels are told about their master, by the names of their settings. */
export const MASTER_SETTINGS = { "down-after-milliseconds": 10_000, "failover-timeout": 6_000, "parallel-syncs": 2 };

export interface SentinelConfiguration {
  readonly name: string;
  readonly master: string;
  readonly replicas: readonly string[];
  /** The other Sentinels. */
  readonly others: readonly { readonly name: string; readonly address: string }[];
}

/**
 * The sentinel.conf of one Sentinel, which knows replicas and other Sentinels from the start: plain discovery takes 11
 * s, this takes 2. A high down-after keeps it from calling nodes down that are still starting; it is lowered when all
 * are ready (`SENTINEL_TIMING`).
 */
export function sentinelConfiguration({ name, master, replicas, others }: SentinelConfiguration): string {
  return [
    `port ${SENTINEL_PORT}`,
    "dir /data",
    `logfile ${logfile}`,
    `sentinel myid ${sentinelId(name)}`,
    `sentinel monitor ${MASTER_NAME} ${master} ${REDIS_PORT} 2`,
    ...Object.entries(MASTER_SETTINGS).map(([setting, value]) => `sentinel ${setting} ${MASTER_NAME} ${value}`),
    ...replicas.map((address) => `sentinel known-replica ${MASTER_NAME} ${address} ${REDIS_PORT}`),
    ...others.map(
      (other) => `sentinel known-sentinel ${MASTER_NAME} ${other.address} ${SENTINEL_PORT} ${sentinelId(other.name)}`,
    ),
    "",
  ].join("\n");
}

function lines(directives: Readonly<Record<string, string>>): string {
  return `${Object.entries(directives)
    .map(([name, value]) => redisDirective(name, value))
    .join("\n")}\n`;
}
