import {
  ErrorReply,
  MapReply,
  OK,
  StatusReply,
  SYNTAX_ERROR,
  VerbatimReply,
  type Reply,
} from "../../redis/protocol/reply.ts";
import type { ClientSession } from "../client-session.ts";
import { except, redirect, track, trackingInfo } from "../../redis/caching/client-tracking.ts";
import { setLibraryInfo, setReplyMode } from "../../redis/client-settings.ts";
import { container, integerOf, word, type SentinelCaller, type SentinelCommand } from "./sentinel-command.ts";

/** The version that was compared. */
export const VERSION = "8.0.2";

/** Commands on the connection itself. QUIT and RESET are not among them: a Sentinel does not have these. */
export const connectionCommands: readonly SentinelCommand[] = [
  { name: "ping", arity: -1, forSubscribers: true, run: ping },
  { name: "hello", arity: -1, run: hello },
  { name: "auth", arity: -2, run: auth },
  container("client", [
    { name: "id", arity: 2, run: (_argv, { session }) => session.id },
    { name: "getname", arity: 2, run: (_argv, { session }) => (session.name === "" ? null : session.name) },
    { name: "setname", arity: 3, run: (argv, { session }) => setName(session, word(argv, 2)) },
    { name: "setinfo", arity: 4, run: (argv, { session }) => setLibraryInfo(session, word(argv, 2), word(argv, 3)) },
    {
      name: "info",
      arity: 2,
      run: (_argv, { session, sentinel }) => new VerbatimReply(describe(session, sentinel.nowMs)),
    },
    {
      name: "list",
      arity: -2,
      run: (argv, { sessions, sentinel }) =>
        argv.length > 2
          ? SYNTAX_ERROR
          : new VerbatimReply([...sessions].map((session) => describe(session, sentinel.nowMs)).join("")),
    },
    { name: "reply", arity: 3, run: (argv, { session }) => setReplyMode(session, word(argv, 2)) },
    {
      name: "no-evict",
      arity: 3,
      run: (argv) => (["on", "off"].includes(word(argv, 2).toLowerCase()) ? OK : SYNTAX_ERROR),
    },
    // A Sentinel has no keys that could be invalidated. Client libraries ask every server for it.
    {
      name: "tracking",
      arity: -3,
      run: (argv, { session, sessions }) =>
        track(argv, session, (number) => [...sessions].some(({ id }) => id === number)),
    },
    { name: "trackinginfo", arity: 2, run: (_argv, { session }) => trackingInfo(session) },
    { name: "getredir", arity: 2, run: (_argv, { session }) => redirect(session) },
    { name: "caching", arity: 3, run: (argv, { session }) => except(session, word(argv, 2).toLowerCase()) },
  ]),
];

function ping(argv: readonly string[], { session }: SentinelCaller): Reply {
  if (argv.length > 2) return new ErrorReply("ERR wrong number of arguments for 'ping' command");
  if (session.protocol === 2 && session.subscriptions > 0) return ["pong", argv[1] ?? ""];
  return argv[1] ?? new StatusReply("PONG");
}

function auth(argv: readonly string[]): Reply {
  if (argv.length > 3) return SYNTAX_ERROR;
  if (argv.length === 3 && word(argv, 1) === "default") return OK;
  return new ErrorReply(
    argv.length === 3
      ? "WRONGPASS invalid username-password pair or user is disabled."
      : "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
  );
}

function hello(argv: readonly string[], caller: SentinelCaller): Reply {
  const { session } = caller;
  let { protocol } = session;
  if (argv.length > 1) {
    const asked = integerOf(word(argv, 1));
    if (asked === undefined) return new ErrorReply("ERR Protocol version is not an integer or out of range");
    if (asked !== 2 && asked !== 3) return new ErrorReply("NOPROTO unsupported protocol version");
    protocol = asked;
  }
  let name: string | undefined;
  for (let index = 2; index < argv.length; index += 1) {
    const option = word(argv, index).toLowerCase();
    if (option === "auth" && index + 2 < argv.length) {
      const refusal = auth(["auth", word(argv, index + 1), word(argv, index + 2)]);
      if (refusal !== OK) return refusal;
      index += 2;
    } else if (option === "setname" && index + 1 < argv.length) {
      name = word(argv, index + 1);
      index += 1;
    } else return new ErrorReply(`ERR Syntax error in HELLO option '${word(argv, index)}'`);
  }
  if (name !== undefined) {
    const refusal = setName(session, name);
    if (refusal !== OK) return refusal;
  }
  session.protocol = protocol;
  const about = ["server", "redis", "version", VERSION, "proto", protocol, "id", session.id, "mode", "sentinel"];
  return new MapReply([...about, "modules", []]);
}

function setName(session: ClientSession, name: string): Reply {
  if (/[^!-~]/.test(name)) {
    return new ErrorReply("ERR Client names cannot contain spaces, newlines or special characters.");
  }
  session.name = name;
  return OK;
}

function describe(session: ClientSession, nowMs: number): string {
  const ageSeconds = Math.max(0, Math.floor((nowMs - session.connectedAtMs) / 1000));
  const isSubscriber = session.subscriptions > 0;
  const fields = [
    ["id", session.id],
    ["addr", session.peer],
    ["laddr", session.local],
    ["name", session.name],
    ["age", ageSeconds],
    ["flags", isSubscriber ? "P" : "N"],
    ["db", 0],
    ["sub", session.channels.size],
    ["psub", session.patterns.size],
    ["ssub", 0],
    ["cmd", session.lastCommand],
    ["user", "default"],
    ["resp", session.protocol],
    ["lib-name", session.libraryName],
    ["lib-ver", session.libraryVersion],
  ] as const;
  return `${fields.map(([name, value]) => `${name}=${value}`).join(" ")}\n`;
}
