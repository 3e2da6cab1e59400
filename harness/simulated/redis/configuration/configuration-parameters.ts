/** A directive. `range` bounds a number, both ends included. */
export interface Parameter {
  readonly name: string;
  readonly alias?: string | undefined;
  readonly kind: "yes-no" | "number" | "memory" | "choice" | "text" | "events";
  readonly initial: string;
  readonly range?: readonly [number | bigint, number | bigint];
  readonly choices?: readonly string[];
  readonly immutable?: boolean;
}

const INT: readonly [number, number] = [0, 2147483647];
const LONG: readonly [number, bigint] = [0, 9223372036854775807n];

const EVICTION_POLICIES = [
  "volatile-lru",
  "volatile-lfu",
  "volatile-random",
  "volatile-ttl",
  "allkeys-lru",
  "allkeys-lfu",
  "allkeys-random",
  "noeviction",
] as const;
export type EvictionPolicy = (typeof EVICTION_POLICIES)[number];

function flag(name: string, initial: "yes" | "no", alias?: string): Parameter {
  return { name, kind: "yes-no", initial, alias };
}

function number(name: string, initial: number, range: Parameter["range"] = INT, alias?: string): Parameter {
  return { name, kind: "number", initial: String(initial), range, alias };
}

function memory(name: string, initial: number, range: Parameter["range"] = LONG): Parameter {
  return { name, kind: "memory", initial: String(initial), range };
}

function text(name: string, initial: string, alias?: string): Parameter {
  return { name, kind: "text", initial, alias };
}

function choice(name: string, initial: string, choices: readonly string[]): Parameter {
  return { name, kind: "choice", initial, choices };
}

/** The directives that have an effect here, or that clients and Sentinels ask for; defaults are those of Redis. */
export const PARAMETERS: readonly Parameter[] = [
  memory("maxmemory", 0),
  choice("maxmemory-policy", "noeviction", EVICTION_POLICIES),
  number("maxmemory-samples", 5, [1, 64]),
  number("min-replicas-to-write", 0, INT, "min-slaves-to-write"),
  number("min-replicas-max-lag", 10, INT, "min-slaves-max-lag"),
  flag("appendonly", "no"),
  choice("appendfsync", "everysec", ["everysec", "always", "no"]),
  flag("no-appendfsync-on-rewrite", "no"),
  flag("aof-use-rdb-preamble", "yes"),
  flag("aof-load-truncated", "yes"),
  number("auto-aof-rewrite-percentage", 100),
  memory("auto-aof-rewrite-min-size", 67108864),
  text("save", "3600 1 300 100 60 10000"),
  flag("stop-writes-on-bgsave-error", "yes"),
  { name: "notify-keyspace-events", kind: "events", initial: "" },
  flag("replica-read-only", "yes", "slave-read-only"),
  flag("replica-serve-stale-data", "yes", "slave-serve-stale-data"),
  number("replica-priority", 100, INT, "slave-priority"),
  text("replica-announce-ip", "", "slave-announce-ip"),
  number("replica-announce-port", 0, [0, 65535], "slave-announce-port"),
  flag("replica-announced", "yes"),
  flag("replica-ignore-maxmemory", "yes", "slave-ignore-maxmemory"),
  flag("replica-lazy-flush", "no", "slave-lazy-flush"),
  flag("repl-diskless-sync", "yes"),
  number("repl-diskless-sync-delay", 5),
  number("repl-timeout", 60, [1, 2147483647]),
  number("repl-ping-replica-period", 10, [1, 2147483647], "repl-ping-slave-period"),
  memory("repl-backlog-size", 1048576, [1, 9223372036854775807n]),
  number("repl-backlog-ttl", 3600),
  text("requirepass", ""),
  text("masterauth", ""),
  text("masteruser", ""),
  number("timeout", 0),
  number("tcp-keepalive", 300),
  number("maxclients", 10000, [1, 4294967295]),
  number("hz", 10),
  memory("proto-max-bulk-len", 536870912, [1048576, 9223372036854775807n]),
  number("busy-reply-threshold", 5000, LONG, "lua-time-limit"),
  number("slowlog-log-slower-than", 10000, [-1, 9223372036854775807n]),
  number("slowlog-max-len", 128, LONG),
  number("latency-monitor-threshold", 0, LONG),
  choice("loglevel", "notice", ["debug", "verbose", "notice", "warning", "nothing"]),
  flag("lazyfree-lazy-eviction", "no"),
  flag("lazyfree-lazy-expire", "no"),
  flag("lazyfree-lazy-server-del", "no"),
  flag("lazyfree-lazy-user-del", "no"),
  flag("lazyfree-lazy-user-flush", "no"),
  number("hash-max-listpack-entries", 512, LONG, "hash-max-ziplist-entries"),
  number("hash-max-listpack-value", 64, LONG, "hash-max-ziplist-value"),
  number("set-max-intset-entries", 512, LONG),
  number("set-max-listpack-entries", 128, LONG),
  number("set-max-listpack-value", 64, LONG),
  number("zset-max-listpack-entries", 128, LONG, "zset-max-ziplist-entries"),
  number("zset-max-listpack-value", 64, LONG, "zset-max-ziplist-value"),
  number("list-max-listpack-size", -2, [-2147483648, 2147483647], "list-max-ziplist-size"),
  text("client-output-buffer-limit", "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"),
  text("dbfilename", "dump.rdb"),
  text("dir", "/data"),
  { ...text("appendfilename", "appendonly.aof"), immutable: true },
  { ...text("appenddirname", "appendonlydir"), immutable: true },
  { ...number("databases", 16, [1, 2147483647]), immutable: true },
  { ...text("enable-debug-command", "yes"), immutable: true },
  number("port", 6379, [0, 65535]),
  text("bind", "* -::*"),
  flag("protected-mode", "no"),
  text("replicaof", "", "slaveof"),
];
