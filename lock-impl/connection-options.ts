import type { ClusterOptions, RedisOptions } from "ioredis";
import type { Address, Servers } from "./driver.ts";

/** How long a connection waits for what. All in milliseconds. */
export interface Patience {
  /** For the reply to one command. After it the command is indeterminate. */
  readonly commandMs: number;
  /** For any byte at all while a reply is due. After it the connection is given up and made anew. */
  readonly silenceMs: number;
  /** For a TCP connection, and for a Sentinel's answer. */
  readonly connectMs: number;
  /** Between two attempts to connect. */
  readonly reconnectMs: number;
}

/** For leases of a second and more on one server. */
export const PATIENCE: Patience = { commandMs: 250, silenceMs: 400, connectMs: 300, reconnectMs: 20 };

/** Of clients that were written without a thought for replies that do not come. */
export const BOUNDLESS_PATIENCE: Patience = { ...PATIENCE, commandMs: 5_000, silenceMs: 6_000 };

type SentinelServers = Extract<Servers, { kind: "sentinel" }>;

/**
 * What one connection leads to: a server at a fixed address, the master (or a replica) that Sentinels name, or a Redis
 * Cluster, of which some nodes are named.
 */
export type Target =
  | { readonly kind: "address"; readonly address: Address }
  | (SentinelServers & { readonly replica?: boolean })
  | { readonly kind: "cluster"; readonly nodes: readonly Address[] };

/**
 * Every option of ioredis that decides whether a lock is safe, in one place. The defaults of ioredis 6 are made for
 * caches: they send a command again after a reconnect, although the server may have applied it the first time. For a
 * lock that makes a ghost: a grant that nobody knows of.
 */
export function connectionOptions(
  target: Exclude<Target, { kind: "cluster" }>,
  patience: Patience = PATIENCE,
): RedisOptions & { readonly replyMapping: "legacy" } {
  return {
    ...(target.kind === "address" ? { ...target.address } : sentinelOptions(target, patience)),
    ...safeOptions(patience),
    lazyConnect: true,
    // A command that finds no connection fails at once and was certainly not sent. In a queue it would be sent at some
    // later time, when its sender has long given up.
    enableOfflineQueue: false,
    // Not the default's backing off up to five seconds: leases are short, and one client makes one connection.
    retryStrategy: () => patience.reconnectMs,
    // 2 would send the command again. 1: reconnect, because the server we talk to is no master any more.
    reconnectOnError: (error) => (error.message.includes("READONLY") ? 1 : false),
  };
}

/**
 * The same for a Redis Cluster. MOVED, ASK, TRYAGAIN and CLUSTERDOWN are answers of a node that did nothing, so sending
 * again after them is safe; after a connection that broke it is not.
 */
export function clusterOptions(patience: Patience = PATIENCE) {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    // Anything but 0 sends a command again whose connection broke.
    retryDelayOnFailover: 0,
    clusterRetryStrategy: () => patience.reconnectMs,
    slotsRefreshTimeout: patience.connectMs,
    redisOptions: safeOptions(patience),
  } satisfies ClusterOptions;
}

/** What holds for every connection, to a server alone and to a node of a cluster. */
function safeOptions(patience: Patience) {
  return {
    // What was sent once is never sent again. A caller must be told "nobody knows", and decide for itself.
    autoResendUnfulfilledCommands: false,
    // When the connection breaks, commands without a reply are rejected at the first break, not the twentieth.
    maxRetriesPerRequest: 0,

    // A reply that never comes. By itself it does not end the connection: a stopped server would keep it for ever.
    commandTimeout: patience.commandMs,
    // So a connection that is silent while a reply is due is given up, and the next one may lead elsewhere.
    socketTimeout: patience.silenceMs,
    connectTimeout: patience.connectMs,
    // How long a closing connection waits for the other side's goodbye. The default of two seconds delays each failover.
    disconnectTimeout: patience.reconnectMs,

    // Ready means: the server has loaded its data, and is a master if Sentinels named it.
    enableReadyCheck: true,
    // Written together in one tick, commands are still separate commands; a pipeline could be cut in the middle.
    enableAutoPipelining: false,
    // No HELLO, no CLIENT SETINFO: a shorter handshake, and the same on every server since Redis 5.
    protocol: 2,
    replyMapping: "legacy",
    disableClientInfo: true,
    // Subscriptions are renewed by whoever waits, because a message may have been missed in between.
    autoResubscribe: false,
  } as const;
}

function sentinelOptions(target: Extract<Target, { kind: "sentinel" }>, patience: Patience): RedisOptions {
  return {
    sentinels: target.sentinels.map((address) => ({ ...address })),
    name: target.masterName,
    role: target.replica === true ? "slave" : "master",
    natMap: { ...target.natMap },
    // Only the addresses given: those that Sentinels tell of each other may not be reachable from here.
    updateSentinels: false,
    // It can leave the client in `end` for ever; the role check at connecting and READONLY do its work.
    failoverDetector: false,
    // Without an end: a number must always be returned, or the client ends when all Sentinels are away for a moment.
    sentinelRetryStrategy: () => patience.reconnectMs,
    sentinelCommandTimeout: patience.connectMs,
  };
}
