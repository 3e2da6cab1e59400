import { createHash } from "node:crypto";
import { MASTER_NAME } from "../../core/topologies/sentinel.ts";
import type { NodeAddress } from "./node-address.ts";

export const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6379;

/** The directives of sentinel.conf for one master. */
export interface MonitoredMaster {
  readonly name: string;
  readonly address: NodeAddress;
  /** How many Sentinels must call it down before a failover is tried. */
  readonly quorum: number;
  /** Default 30,000. */
  readonly downAfterMs?: number;
  /** Default 180,000. */
  readonly failoverTimeoutMs?: number;
  /** How many replicas are pointed to a new master at the same time. Default: 1. */
  readonly parallelSyncs?: number;
  /** Calls a restarted master down after this long without a good answer. Default: 0, a restart has no effect. */
  readonly rebootDownAfterMs?: number;
  readonly configEpoch?: number;
  readonly leaderEpoch?: number;
  readonly knownReplicas?: readonly NodeAddress[];
  readonly knownSentinels?: readonly { readonly id: string; readonly address: NodeAddress }[];
}

/**
 * A sentinel.conf: the start options of a Sentinel, which writes it back whenever something changes that it must not
 * forget.
 */
export interface SentinelOptions {
  /** Its identity, 40 hexadecimal digits. */
  readonly id: string;
  readonly masters: readonly MonitoredMaster[];
  readonly currentEpoch?: number;
  /** The port on which it listens. Default: 26379. */
  readonly port?: number;
}

/** The identity of a Sentinel of this name, known in advance so that Sentinels can be told about each other at once. */
export function sentinelId(name: string): string {
  return createHash("sha1").update(name).digest("hex");
}

/**
 * Options of one Sentinel that knows replicas and other Sentinels from the start, as containers' Sentinels do.
 * @param master address of the master; it and the replicas listen on 6379
 */
export function seededSentinel(seed: {
  readonly name: string;
  readonly master: string;
  readonly replicas: readonly string[];
  /** The other Sentinels. */
  readonly others: readonly { readonly name: string; readonly address: string }[];
  readonly downAfterMs?: number;
}): SentinelOptions {
  const { name, master, replicas, others, downAfterMs = 10_000 } = seed;
  return {
    id: sentinelId(name),
    masters: [
      {
        name: MASTER_NAME,
        address: { host: master, port: REDIS_PORT },
        quorum: 2,
        downAfterMs,
        failoverTimeoutMs: 6000,
        parallelSyncs: 2,
        knownReplicas: replicas.map((host) => ({ host, port: REDIS_PORT })),
        knownSentinels: others.map((other) => ({
          id: sentinelId(other.name),
          address: { host: other.address, port: SENTINEL_PORT },
        })),
      },
    ],
  };
}
