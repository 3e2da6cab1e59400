import type { ClusterOptions, RedisOptions } from "ioredis";
import type { Address, Servers } from "../../harness/core/lock-driver.ts";

/** How long a connection waits, in milliseconds. */
export interface Timeouts {
  /** For the reply to one command. After it the command is indeterminate. */
  readonly commandMs: number;
  /** For any byte at all while a reply is due. After that the connection is given up and replaced. */
  readonly silenceMs: number;
  /** For a TCP connection, and for a Sentinel's answer. */
  readonly connectMs: number;
  /** Between two attempts to connect. */
  readonly reconnectMs: number;
}

/** For leases of 1000 ms and more on one server. */
export const TIMEOUTS: Timeouts = { commandMs: 250, silenceMs: 400, connectMs: 300, reconnectMs: 20 };

/** Of clients whose authors did not consider replies that never come. */
export const LONG_TIMEOUTS: Timeouts = { ...TIMEOUTS, commandMs: 5_000, silenceMs: 6_000 };

type SentinelServers = Extract<Servers, { kind: "sentinel" }>;

/**
 * The target of one connection: a server at a fixed address, the master (or a replica) that Sentinels name, or a Redis
 * Cluster, of which some nodes are named.
 */
export type Target =
  | { readonly kind: "address"; readonly address: Address }
  | (SentinelServers & { readonly replica?: boolean })
  | { readonly kind: "cluster"; readonly nodes: readonly Address[] };

/**
 * Every option of ioredis that decides whether a lock is safe, in one place. The defaults of ioredis 6 suit caches:
 * they send a command again after a reconnect, although the server may have applied it the first time. For a lock this
 * creates a ghost: a grant that nobody knows of.
 */
export function connectionOptions(
  target: Exclude<Target, { kind: "cluster" }>,
  timeouts: Timeouts = TIMEOUTS,
): RedisOptions & { readonly replyMapping: "legacy" } {
  return {
    ...(target.kind === "address" ? { ...target.address } : sentinelOptions(target, timeouts)),
    ...safeOptions(timeouts),
    lazyConnect: true,
    // A command that finds no connection fails at once and was certainly not sent. A queue would send it later, when
    // the caller has long given up.
    enableOfflineQueue: false,
    // The default backs off up to five seconds. Leases are short, and one client makes one connection, so this is
    // constant.
    retryStrategy: () => timeouts.reconnectMs,
    // 2 would send the command again. 1: reconnect, because the server we talk to is no longer a master.
    reconnectOnError: (error) => (error.message.includes("READONLY") ? 1 : false),
  };
}

/**
 * The same for a Redis Cluster. MOVED, ASK, TRYAGAIN and CLUSTERDOWN are answers of a node that did nothing, so sending
 * again after them is safe; after a broken connection it is not.
 */
export function clusterOptions(timeouts: Timeouts = TIMEOUTS) {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    // Anything but 0 resends a command whose connection broke.
    retryDelayOnFailover: 0,
    clusterRetryStrategy: () => timeouts.reconnectMs,
    slotsRefreshTimeout: timeouts.connectMs,
    redisOptions: safeOptions(timeouts),
  } satisfies ClusterOptions;
}

/** Options of every connection, to a single server and to a node of a cluster. */
function safeOptions(timeouts: Timeouts) {
  return {
    // A command is sent at most once. The caller must be told "nobody knows", and decide for itself.
    autoResendUnfulfilledCommands: false,
    // When the connection breaks, commands without a reply are rejected at the first break, not at the twentieth.
    maxRetriesPerRequest: 0,

    // A reply that never comes fails its command. That does not end the connection: a stopped server would keep it for
    // ever.
    commandTimeout: timeouts.commandMs,
    // So a connection that is silent while a reply is due is given up, and the next one may lead to another server.
    socketTimeout: timeouts.silenceMs,
    connectTimeout: timeouts.connectMs,
    // How long a closing connection waits for the peer to close. The default of two seconds delays each failover.
    disconnectTimeout: timeouts.reconnectMs,

    // Ready means: the server has loaded its data, and is a master if Sentinels named it.
    enableReadyCheck: true,
    // Commands written together in one tick are still separate commands; a pipeline could be cut in the middle.
    enableAutoPipelining: false,
    // No HELLO, no CLIENT SETINFO: the handshake is shorter, and the same on every server since Redis 5.
    protocol: 2,
    replyMapping: "legacy",
    disableClientInfo: true,
    // The waiters renew subscriptions themselves, because a message may have been missed in between.
    autoResubscribe: false,
  } as const;
}

function sentinelOptions(target: Extract<Target, { kind: "sentinel" }>, timeouts: Timeouts): RedisOptions {
  return {
    sentinels: target.sentinels.map((address) => ({ ...address })),
    name: target.masterName,
    role: target.replica === true ? "slave" : "master",
    natMap: { ...target.natMap },
    // Only the given addresses: those that Sentinels report of each other may not be reachable from here.
    updateSentinels: false,
    // It can leave the client in `end` for ever; the role check at connecting and READONLY do its work.
    failoverDetector: false,
    // No end: the function must always return a number, or the client ends when all Sentinels are briefly away.
    sentinelRetryStrategy: () => timeouts.reconnectMs,
    sentinelCommandTimeout: timeouts.connectMs,
  };
}
