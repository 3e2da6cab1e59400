import type { MasterInstance } from "../instance.ts";
import { VERSION } from "./connection-commands.ts";
import type { SentinelCaller, SentinelCommand } from "./sentinel-command.ts";

type Fields = readonly (readonly [name: string, value: string | number])[];

/** Sections of INFO in order. They have fewer fields than the real ones: those that programs read. */
const SECTIONS: readonly (readonly [name: string, title: string, fields: (caller: SentinelCaller) => Fields])[] = [
  ["server", "Server", serverFields],
  ["clients", "Clients", clientFields],
  ["sentinel", "Sentinel", sentinelFields],
];

const EVERYTHING = new Set(["all", "default", "everything"]);

export const infoCommands: readonly SentinelCommand[] = [
  {
    name: "info",
    arity: -1,
    run: (argv, caller) => {
      const wanted = new Set(argv.slice(1).map((name) => name.toLowerCase()));
      const isAll = wanted.size === 0 || [...wanted].some((name) => EVERYTHING.has(name));
      return SECTIONS.filter(([name]) => isAll || wanted.has(name))
        .map(([, title, fields]) => {
          const lines = fields(caller).map(([name, value]) => `${name}:${value}\r\n`);
          return `# ${title}\r\n${lines.join("")}`;
        })
        .join("\r\n");
    },
  },
  { name: "role", arity: 1, run: (_argv, { sentinel }) => ["sentinel", [...sentinel.masters.keys()]] },
];

function serverFields({ sentinel }: SentinelCaller): Fields {
  return [
    ["redis_version", VERSION],
    ["redis_mode", "sentinel"],
    ["os", "simulated"],
    ["arch_bits", 64],
    ["process_id", 1],
    ["tcp_port", sentinel.port],
    ["configured_hz", 10],
  ];
}

function clientFields({ sessions }: SentinelCaller): Fields {
  return [
    ["connected_clients", sessions.size],
    ["maxclients", 10_000],
    ["pubsub_clients", [...sessions].filter(({ subscriptions }) => subscriptions > 0).length],
  ];
}

function sentinelFields({ sentinel }: SentinelCaller): Fields {
  const { isTilting, tiltSinceMs, nowMs, masters } = sentinel;
  const crashes = (sentinel.crashAfter.has("election") ? 1 : 0) + (sentinel.crashAfter.has("promotion") ? 2 : 0);
  return [
    ["sentinel_masters", masters.size],
    ["sentinel_tilt", isTilting ? 1 : 0],
    ["sentinel_tilt_since_seconds", isTilting ? Math.trunc((nowMs - tiltSinceMs) / 1000) : -1],
    ["sentinel_running_scripts", 0],
    ["sentinel_scripts_queue_length", 0],
    ["sentinel_simulate_failure_flags", crashes],
    ...[...masters.values()].map((master, index) => [`master${index}`, summary(master)] as const),
  ];
}

function summary(master: MasterInstance): string {
  const { name, address, replicas, sentinels, isDown, isObjectivelyDown } = master;
  const status = isObjectivelyDown ? "odown" : isDown ? "sdown" : "ok";
  const where = `${address.host}:${address.port}`;
  return `name=${name},status=${status},address=${where},slaves=${replicas.size},sentinels=${sentinels.size + 1}`;
}
