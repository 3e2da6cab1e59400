import { usedMemory } from "./keyspace/eviction.ts";
import { typeOf } from "./client-info.ts";
import type { RedisServer } from "./server.ts";
import type { Session } from "./session.ts";
import type { ServerPlace } from "./world-hooks.ts";

type Fields = readonly (readonly [string, string | number])[];

/** Sections that INFO shows by default, in order; `cluster` and others have a constant text. */
const SECTIONS: readonly (readonly [
  name: string,
  title: string,
  fields: (server: RedisServer, asker: Session) => Fields,
])[] = [
  ["server", "Server", serverFields],
  ["clients", "Clients", clientFields],
  ["memory", "Memory", memoryFields],
  ["persistence", "Persistence", persistenceFields],
  ["stats", "Stats", statisticsFields],
  ["replication", "Replication", replicationFields],
  ["cluster", "Cluster", () => [["cluster_enabled", 0]]],
  ["keyspace", "Keyspace", keyspaceFields],
];

const EVERYTHING = new Set(["all", "default", "everything"]);

/**
 * The text of INFO with these arguments, for the connection that asks. It has fewer fields than the real one: those
 * that programs read.
 */
export function infoText(server: RedisServer, asker: Session, asked: readonly string[]): string {
  const wanted = new Set(asked.map((name) => name.toLowerCase()));
  const isAll = wanted.size === 0 || [...wanted].some((name) => EVERYTHING.has(name));
  return SECTIONS.filter(([name]) => isAll || wanted.has(name))
    .map(([, title, fields]) => {
      let text = `# ${title}\r\n`;
      for (const [name, value] of fields(server, asker)) text += `${name}:${value}\r\n`;
      return text;
    })
    .join("\r\n");
}

function serverFields(server: RedisServer): Fields {
  const uptime = Math.max(0, Math.floor(server.nowMs / 1000) - Math.floor(server.startedAtMs / 1000));
  return [
    ["redis_version", server.version],
    ["redis_mode", "standalone"],
    ["os", "simulated"],
    ["arch_bits", 64],
    ["process_id", 1],
    ["run_id", server.runId],
    ["tcp_port", server.config.text("port")],
    ["server_time_usec", server.nowUs()],
    ["uptime_in_seconds", uptime],
    ["uptime_in_days", Math.floor(uptime / 86400)],
    ["hz", server.config.text("hz")],
    ["configured_hz", server.config.text("hz")],
  ];
}

function clientFields(server: RedisServer): Fields {
  const sessions = [...server.sessions.values()];
  return [
    ["connected_clients", sessions.filter((session) => session.role !== "replica").length],
    ["cluster_connections", 0],
    ["maxclients", server.config.text("maxclients")],
    ["blocked_clients", sessions.filter((session) => session.isBlocked).length],
    ["tracking_clients", sessions.filter(({ tracking }) => tracking !== undefined).length],
    ["pubsub_clients", sessions.filter((session) => typeOf(session) === "pubsub").length],
  ];
}

function memoryFields(server: RedisServer): Fields {
  return [
    ["used_memory", usedMemory(server)],
    ["maxmemory", server.config.text("maxmemory")],
    ["maxmemory_policy", server.config.text("maxmemory-policy")],
  ];
}

function persistenceFields(server: RedisServer): Fields {
  return [
    ["loading", server.loading ? 1 : 0],
    ["async_loading", 0],
    ["rdb_changes_since_last_save", server.dirty - server.dirtyAtLastSave],
    ["rdb_bgsave_in_progress", 0],
    ["rdb_last_save_time", Math.floor(server.lastSaveMs / 1000)],
    ["rdb_last_bgsave_status", "ok"],
    ["aof_enabled", server.config.enabled("appendonly") ? 1 : 0],
    ["aof_rewrite_in_progress", 0],
    ["aof_last_bgrewrite_status", "ok"],
    ["aof_last_write_status", "ok"],
  ];
}

function statisticsFields(server: RedisServer): Fields {
  const { statistics } = server;
  return [
    ["total_connections_received", statistics.connections],
    ["total_commands_processed", statistics.commands],
    ["expired_keys", statistics.expired],
    ["evicted_keys", statistics.evicted],
    ["keyspace_hits", statistics.hits],
    ["keyspace_misses", statistics.misses],
    ["pubsub_channels", server.pubsub.channels.size],
    ["pubsub_patterns", server.pubsub.patterns.size],
  ];
}

function replicationFields(server: RedisServer, { peer }: Session): Fields {
  const { replication } = server;
  const seen = (place: ServerPlace): ServerPlace => server.hooks.placeFor?.(peer, place) ?? place;
  const second = (ms: number): number => Math.floor(ms / 1000);
  const fields: [string, string | number][] = [["role", replication.isReplica ? "slave" : "master"]];
  if (replication.master !== undefined) {
    const isUp = replication.link === "connected";
    const { host, port } = seen(replication.master);
    fields.push(["master_host", host], ["master_port", port]);
    fields.push(["master_link_status", isUp ? "up" : "down"]);
    fields.push(["master_last_io_seconds_ago", isUp ? second(server.nowMs) - second(replication.lastContactMs) : -1]);
    fields.push(["master_sync_in_progress", replication.link === "sync" ? 1 : 0]);
    fields.push(["slave_read_repl_offset", Math.max(replication.readOnlyOffset, replication.offset)]);
    fields.push(["slave_repl_offset", replication.offset]);
    if (!isUp) {
      const since = replication.linkDownSinceMs;
      fields.push(["master_link_down_since_seconds", since === 0 ? -1 : second(server.nowMs) - second(since)]);
    }
    fields.push(["slave_priority", server.config.text("replica-priority")]);
    fields.push(["slave_read_only", server.config.enabled("replica-read-only") ? 1 : 0]);
    fields.push(["replica_announced", server.config.enabled("replica-announced") ? 1 : 0]);
  }
  fields.push(["connected_slaves", replication.replicas.length]);
  const lag = server.config.number("min-replicas-max-lag");
  if (server.config.number("min-replicas-to-write") > 0 && lag > 0) {
    fields.push(["min_slaves_good_slaves", replication.goodReplicas(server.nowMs, lag)]);
  }
  replication.replicas.forEach((replica, index) => {
    const lagSeconds = replica.state === "online" ? second(server.nowMs) - second(replica.ackAtMs) : 0;
    const { state, offset } = replica;
    const { host, port } = seen(replica);
    fields.push([`slave${index}`, `ip=${host},port=${port},state=${state},offset=${offset},lag=${lagSeconds}`]);
  });
  return [
    ...fields,
    ["master_failover_state", replication.failover],
    ["master_replid", replication.id],
    ["master_replid2", replication.secondaryId],
    ["master_repl_offset", replication.offset],
    ["second_repl_offset", replication.secondaryOffset],
    ["repl_backlog_active", replication.backlogActive ? 1 : 0],
    ["repl_backlog_size", replication.backlogSize],
    ["repl_backlog_first_byte_offset", replication.backlogFirstOffset],
    ["repl_backlog_histlen", replication.backlogLength],
  ];
}

function keyspaceFields(server: RedisServer): Fields {
  return server.databases
    .filter((database) => database.slots.size > 0)
    .map((database) => {
      const hashes = [...database.slots.values()].filter(
        ({ value }) => value.type === "hash" && value.expires.size > 0,
      );
      const suffix = server.isModern ? `,subexpiry=${hashes.length}` : "";
      return [`db${database.id}`, `keys=${database.slots.size},expires=${database.expires.size},avg_ttl=0${suffix}`];
    });
}
