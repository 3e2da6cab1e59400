import type { TopologySpec } from "../core/topology.ts";

export const POSTGRES_PORT = 5432;
/** Who may do all, without a password, and the database there is. */
export const POSTGRES_USER = "lockstorm";
export const POSTGRES_DATABASE = "postgres";

/**
 * What is synced, and when (PostgreSQL documentation, 19.5 "Write Ahead Log"):
 * - `none`: the log is written before each reply and never synced. A crash of the server loses nothing, one of the
 *   machine anything, so that a loss of power is no fault for it: it may leave a database that cannot be read.
 * - `everysec`: asynchronous commit. A reply comes before the log is written; a crash loses up to three times
 *   `wal_writer_delay`, which is 200 ms, of what was acknowledged, and keeps the database sound.
 * - `always`: the log is synced before each reply.
 */
const DURABILITY: Readonly<Record<TopologySpec["persistence"], Readonly<Record<string, string>>>> = {
  none: { fsync: "off", synchronous_commit: "on", full_page_writes: "off" },
  everysec: { fsync: "on", synchronous_commit: "off" },
  always: { fsync: "on", synchronous_commit: "on" },
};

/** The postgresql.conf of a data node. */
export function postgresConfiguration({ persistence, config }: TopologySpec): string {
  const settings: Record<string, string> = {
    listen_addresses: "*",
    port: String(POSTGRES_PORT),
    unix_socket_directories: "",
    // A client may have a connection or two, and there may be dozens of clients.
    max_connections: "200",
    shared_buffers: "16MB",
    // What a server needs that lives for seconds and serves nobody else: no compiled queries, replicas, housekeeping.
    jit: "off",
    wal_level: "minimal",
    max_wal_senders: "0",
    autovacuum: "off",
    checkpoint_timeout: "1h",
    // Bare words, for whoever quotes the log; when a server logs what, its container knows.
    log_line_prefix: "",
    ...DURABILITY[persistence],
    ...config,
  };
  return `${Object.entries(settings)
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`)
    .join("\n")}\n`;
}
