import { at, fail, integerArgument, numberArgument } from "../arguments.ts";
import { command, container, NO_KEYS, type Caller, type Command } from "../command.ts";
import { clientInfo, typeOf, type ClientType } from "../client-info.ts";
import { ErrorReply, OK, SYNTAX_ERROR, VerbatimReply, type Reply } from "../protocol/reply.ts";
import type { Session } from "../session.ts";
import { trackingCommands } from "../caching/client-tracking.ts";
import { setLibraryInfo, setReplyMode } from "../client-settings.ts";

const OWN = "noscript loading stale";
const ADMIN = "admin noscript loading stale";

/** CLIENT. */
export const clientCommands: readonly Command[] = [
  container("client", "", [
    command("id", 2, OWN, NO_KEYS, (_argv, { session }) => session.id),
    command("getname", 2, OWN, NO_KEYS, (_argv, { session }) => (session.name === "" ? null : session.name)),
    command("setname", 3, OWN, NO_KEYS, (argv, { session }) => {
      setName.check(at(argv, 2));
      session.name = at(argv, 2);
      return OK;
    }),
    command("info", 2, OWN, NO_KEYS, (_argv, { session }) => new VerbatimReply(`${clientInfo(session)}\n`)),
    command("list", -2, ADMIN, NO_KEYS, list),
    command("reply", 3, OWN, NO_KEYS, (argv, { session }) => setReplyMode(session, at(argv, 2))),
    command("no-evict", 3, ADMIN, NO_KEYS, (argv, { session }) => {
      session.noEvict = onOrOff(at(argv, 2));
      return OK;
    }),
    command("kill", -3, ADMIN, NO_KEYS, kill),
    command("unblock", -3, ADMIN, NO_KEYS, unblock),
    command("pause", -3, ADMIN, NO_KEYS, pause),
    command("unpause", 2, ADMIN, NO_KEYS, (_argv, { server }) => {
      server.pausedUntilMs = 0;
      server.resumePaused();
      return OK;
    }),
    ...trackingCommands,
  ]),
];

/** Subcommands that came with 7.2. */
export const modernClientCommands: readonly Command[] = [
  command("setinfo", 4, OWN, NO_KEYS, (argv, { session }) => setLibraryInfo(session, at(argv, 2), at(argv, 3))),
  command("no-touch", 3, OWN, NO_KEYS, (argv, { session }) => {
    session.noTouch = onOrOff(at(argv, 2));
    return OK;
  }),
];

/** Names and library names must be printable and without blanks. */
export const setName = {
  /** @throws ReplyError when the name is not allowed */
  check(name: string): void {
    if (/[^!-~]/.test(name)) fail("ERR Client names cannot contain spaces, newlines or special characters.");
  },
};

function onOrOff(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower !== "on" && lower !== "off") fail("ERR syntax error");
  return lower === "on";
}

function clientType(text: string): ClientType {
  switch (text.toLowerCase()) {
    case "normal":
      return "normal";
    case "slave":
    case "replica":
      return "replica";
    case "pubsub":
      return "pubsub";
    case "master":
      return "master";
    default:
      return fail(`ERR Unknown client type '${text}'`);
  }
}

function list(argv: readonly string[], { server }: Caller): Reply {
  let chosen: readonly Session[] = [...server.sessions.values()];
  const option = argv[2]?.toLowerCase();
  if (argv.length === 4 && option === "type") {
    const type = clientType(at(argv, 3));
    chosen = chosen.filter((session) => typeOf(session) === type);
  } else if (argv.length > 3 && option === "id") {
    chosen = argv.slice(3).flatMap((text) => server.sessions.get(numberArgument(text, "ERR Invalid client ID")) ?? []);
  } else if (argv.length !== 2) return SYNTAX_ERROR;
  return new VerbatimReply(chosen.map((session) => `${clientInfo(session)}\n`).join(""));
}

interface KillFilter {
  address?: string;
  localAddress?: string;
  type?: ClientType;
  id?: number;
  maxAgeSeconds?: number;
  skipMe: boolean;
}

function parseKill(argv: readonly string[], isModern: boolean): KillFilter {
  if (argv.length === 3) return { address: at(argv, 2), skipMe: false };
  const filter: KillFilter = { skipMe: true };
  for (let index = 2; index < argv.length; index += 2) {
    const option = at(argv, index).toLowerCase();
    const value = at(argv, index + 1);
    const lower = value.toLowerCase();
    if (option === "id") {
      filter.id = numberArgument(value, "ERR client-id should be greater than 0");
      if (filter.id < 1) fail("ERR client-id should be greater than 0");
    } else if (option === "maxage" && isModern) {
      filter.maxAgeSeconds = Number(integerArgument(value, "ERR maxage is not an integer or out of range"));
      if (filter.maxAgeSeconds <= 0) fail("ERR maxage should be greater than 0");
    } else if (option === "type") filter.type = clientType(value);
    else if (option === "addr") filter.address = value;
    else if (option === "laddr") filter.localAddress = value;
    else if (option === "user") {
      if (value !== "default") fail(`ERR No such user '${value}'`);
    } else if (option === "skipme" && (lower === "yes" || lower === "no")) filter.skipMe = lower === "yes";
    else fail("ERR syntax error");
  }
  return filter;
}

function kill(argv: readonly string[], { session, server }: Caller): Reply {
  const filter = parseKill(argv, server.isModern);
  const victims = [...server.sessions.values()].filter(
    (each) =>
      (filter.address ?? each.peer) === each.peer &&
      (filter.localAddress ?? each.local) === each.local &&
      (filter.type ?? typeOf(each)) === typeOf(each) &&
      (filter.id ?? each.id) === each.id &&
      !(filter.skipMe && each === session) &&
      Math.floor(server.nowMs / 1000) - Math.floor(each.createdAtMs / 1000) >= (filter.maxAgeSeconds ?? 0),
  );
  for (const victim of victims) {
    if (victim === session) session.closing = true;
    else victim.kill();
  }
  if (argv.length > 3) return victims.length;
  return victims.length === 0 ? new ErrorReply("ERR No such client") : OK;
}

function unblock(argv: readonly string[], { server }: Caller): Reply {
  const reason = argv[3]?.toLowerCase() ?? "timeout";
  if (argv.length > 4) return SYNTAX_ERROR;
  if (reason !== "timeout" && reason !== "error") {
    return new ErrorReply("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
  }
  const target = server.sessions.get(numberArgument(at(argv, 2)));
  return target?.forceUnblock(reason === "error") === true ? 1 : 0;
}

function pause(argv: readonly string[], { server }: Caller): Reply {
  const mode = argv[3]?.toLowerCase() ?? "all";
  if (mode !== "all" && mode !== "write") return new ErrorReply("ERR CLIENT PAUSE mode must be WRITE or ALL");
  const ms = numberArgument(at(argv, 2), "ERR timeout is not an integer or out of range");
  if (ms < 0) return new ErrorReply("ERR timeout is negative");
  const until = server.nowMs + ms;
  // A second pause can make the first longer and stricter, never shorter or milder.
  const wasPaused = server.isPaused;
  server.pausedUntilMs = wasPaused ? Math.max(server.pausedUntilMs, until) : until;
  server.pausedWritesOnly = mode === "write" && (!wasPaused || server.pausedWritesOnly);
  return OK;
}
