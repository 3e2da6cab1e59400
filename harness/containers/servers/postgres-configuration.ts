import type { TopologySpec } from "../../core/topology.ts";

export const POSTGRES_PORT = 5432;
/** The user with all rights and without a password, and the only database. */
export const POSTGRES_USER = "lockstorm";
export const POSTGRES_DATABASE = "postgres";

/**
 * When the log is synced (PostgreSQL documentation, 19.5 "Write Ahead Log"):
 * - `none`: the log is written before each reply and never synced. A crash of the server loses nothing, a crash of
 *   the machine may lose anything. A power loss may leave an unreadable database, so it is no fault for this setting.
 * - `everysec`: asynchronous commit. A reply comes before the log is written; a crash loses up to three times
 *   `wal_writer_delay` (200 ms) of acknowledged transactions, and keeps the database consistent.
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
    // Settings for a server that lives for seconds and serves nobody else: no compiled queries, replicas, housekeeping.
    jit: "off",
    wal_level: "minimal",
    max_wal_senders: "0",
    autovacuum: "off",
    checkpoint_timeout: "1h",
    // Bare messages, for quoting the log; the container knows the time.
    log_line_prefix: "",
    ...DURABILITY[persistence],
    ...config,
  };
  return `${Object.entries(settings)
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`)
    .join("\n")}\n`;
}
