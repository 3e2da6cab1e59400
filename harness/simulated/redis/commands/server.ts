import { at, numberArgument } from "../arguments.ts";
import { command, container, NO_KEYS, type Caller, type Command } from "../command.ts";
import { usedMemory } from "../keyspace/eviction.ts";
import { globMatches } from "../glob.ts";
import { infoText } from "../info.ts";
import {
  ErrorReply,
  errorReply,
  MapReply,
  OK,
  StatusReply,
  SYNTAX_ERROR,
  VerbatimReply,
  type Reply,
} from "../protocol/reply.ts";
import { sizeOf } from "../keyspace/values.ts";
import { noCluster } from "./cluster.ts";
import { describeCommand } from "./describe-command.ts";

const ADMIN = "admin noscript loading stale";
const INSPECT = "loading stale";

/** Commands on the server as a whole. */
export const serverCommands: readonly Command[] = [
  command("time", 1, "loading stale fast", NO_KEYS, (_argv, { server }) => {
    const us = server.nowUs();
    return [String(Math.floor(us / 1e6)), String(us % 1e6)];
  }),
  command(
    "info",
    -1,
    INSPECT,
    NO_KEYS,
    (argv, { server, session }) => new VerbatimReply(infoText(server, session, argv.slice(1))),
  ),
  container("config", "", [
    command("get", -3, ADMIN, NO_KEYS, getConfig),
    command("set", -4, ADMIN, NO_KEYS, setConfig),
    command("resetstat", 2, ADMIN, NO_KEYS, (_argv, { server }) => {
      Object.assign(server.statistics, { commands: 0, connections: 0, hits: 0, misses: 0, expired: 0, evicted: 0 });
      return OK;
    }),
    command("rewrite", 2, ADMIN, NO_KEYS, (_argv, { server }) =>
      server.hooks.rewriteConfiguration?.() === true
        ? OK
        : new ErrorReply("ERR The server is running without a config file"),
    ),
  ]),
  {
    ...container("command", INSPECT, [
      command("count", 2, INSPECT, NO_KEYS, (_argv, { server }) => server.commands.size),
      command("list", -2, INSPECT, NO_KEYS, (_argv, { server }) => [...server.commands.keys()]),
      command("info", -2, INSPECT, NO_KEYS, (argv, { server }) => describeAll(server, argv.slice(2))),
      command("docs", -2, INSPECT, NO_KEYS, () => new MapReply([])),
    ]),
    arity: -1,
    handler: (_argv, { server }) => describeAll(server, []),
  },
  command("debug", -2, ADMIN, NO_KEYS, debug),
  command("lastsave", 1, "loading stale fast", NO_KEYS, (_argv, { server }) => Math.floor(server.lastSaveMs / 1000)),
  command("save", 1, "admin noscript no_async_loading no_multi", NO_KEYS, (_argv, { server }) => save(server, OK)),
  command("bgsave", -1, "admin noscript no_async_loading", NO_KEYS, (argv, { server }) => {
    const isScheduled = argv.length === 2 && at(argv, 1).toLowerCase() === "schedule";
    if (argv.length > 1 && !isScheduled) return SYNTAX_ERROR;
    return save(server, new StatusReply("Background saving started"));
  }),
  command("bgrewriteaof", 1, "admin noscript no_async_loading", NO_KEYS, (_argv, { server }) => {
    server.hooks.rewriteFile?.();
    return new StatusReply("Background append only file rewriting started");
  }),
  command("shutdown", -1, "admin noscript loading stale no_multi allow_busy", NO_KEYS, shutdown),
  container("memory", "", [
    command("usage", -3, "readonly", [2, 2, 1], memoryUsage),
    command("stats", 2, "", NO_KEYS, (_argv, { server }) => new MapReply(["total.allocated", usedMemory(server)])),
  ]),
  command("readonly", 1, "loading stale fast", NO_KEYS, noCluster),
  command("readwrite", 1, "loading stale fast", NO_KEYS, noCluster),
  command("asking", 1, "fast", NO_KEYS, noCluster),
  container("acl", "", [command("whoami", 2, "noscript loading stale", NO_KEYS, () => "default")]),
];

function describeAll(server: Caller["server"], names: readonly string[]): Reply {
  if (names.length === 0) return [...server.commands.values()].map(describeCommand);
  return names.map((name) => {
    const [first = "", sub] = name.toLowerCase().split("|");
    const found = server.commands.get(first);
    const chosen = sub === undefined ? found : found?.subcommands?.get(sub);
    return chosen === undefined ? null : describeCommand(chosen);
  });
}

function getConfig(argv: readonly string[], { server }: Caller): Reply {
  const patterns = argv.slice(2).map((pattern) => pattern.toLowerCase());
  const found: string[] = [];
  for (const [name, value] of server.config.entries()) {
    if (patterns.some((pattern) => globMatches(pattern, name))) found.push(name, value);
  }
  return new MapReply(found);
}

function setConfig(argv: readonly string[], { server }: Caller): Reply {
  if (argv.length % 2 !== 0) {
    return new ErrorReply("ERR wrong number of arguments for 'config|set' command");
  }
  const pairs: [string, string][] = [];
  for (let index = 2; index < argv.length; index += 2) pairs.push([at(argv, index), at(argv, index + 1)]);
  const problem = server.config.setAll(pairs);
  if (problem !== undefined) return errorReply(problem);
  server.hooks.configurationChanged?.(pairs.map(([name]) => name.toLowerCase()));
  if (server.config.maxMemory > 0) server.freeMemory();
  return OK;
}

function debug(argv: readonly string[], { server }: Caller): Reply {
  const sub = at(argv, 1).toLowerCase();
  if (sub === "set-active-expire" && argv.length === 3) {
    server.activeExpireEnabled = Number.parseInt(at(argv, 2), 10) !== 0;
    return OK;
  }
  if (sub === "jmap" || sub === "flushall") return OK;
  return new ErrorReply(
    `ERR unknown subcommand or wrong number of arguments for '${at(argv, 1).slice(0, 128)}'. Try DEBUG HELP.`,
  );
}

function save(server: Caller["server"], reply: Reply): Reply {
  server.hooks.save?.();
  server.lastSaveMs = server.nowMs;
  server.dirtyAtLastSave = server.dirty;
  return reply;
}

function shutdown(argv: readonly string[], { server }: Caller): Reply {
  let save: boolean | undefined;
  for (const argument of argv.slice(1)) {
    const option = argument.toLowerCase();
    if (option === "save" || option === "nosave") save = option === "save";
    else if (option !== "now" && option !== "force" && option !== "abort") return SYNTAX_ERROR;
  }
  server.hooks.shutdown?.(save);
  return undefined;
}

function memoryUsage(argv: readonly string[], { db }: Caller): Reply {
  for (let index = 3; index < argv.length; index += 2) {
    if (at(argv, index).toLowerCase() !== "samples" || index + 1 >= argv.length) return SYNTAX_ERROR;
    if (numberArgument(at(argv, index + 1)) < 0) return SYNTAX_ERROR;
  }
  const key = at(argv, 2);
  const value = db.peek(key);
  return value === undefined ? null : sizeOf(value) + key.length + 64;
}
