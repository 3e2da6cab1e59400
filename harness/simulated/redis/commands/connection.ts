import { at, fail, integerArgument, smallArgument } from "../arguments.ts";
import { command, NO_KEYS, type Caller, type Command } from "../command.ts";
import { ErrorReply, MapReply, OK, StatusReply, type Reply } from "../protocol/reply.ts";
import { setName } from "./client.ts";

const BEFORE_AUTH = "noscript loading stale fast no_auth allow_busy";

/** Commands on the connection itself, except CLIENT. */
export const connectionCommands: readonly Command[] = [
  command("ping", -1, "fast", NO_KEYS, ping),
  command("echo", 2, "loading stale fast", NO_KEYS, (argv) => at(argv, 1)),
  command("select", 2, "loading stale fast", NO_KEYS, (argv, caller) => {
    const database = caller.server.databases[smallArgument(at(argv, 1), "ERR value is not an integer or out of range")];
    if (database === undefined) return new ErrorReply("ERR DB index is out of range");
    caller.db = database;
    return OK;
  }),
  command("auth", -2, BEFORE_AUTH, NO_KEYS, auth),
  command("hello", -1, BEFORE_AUTH, NO_KEYS, hello),
  command("quit", -1, BEFORE_AUTH, NO_KEYS, (_argv, { session }) => {
    session.closing = true;
    return OK;
  }),
  command("reset", 1, BEFORE_AUTH, NO_KEYS, reset),
];

function ping(argv: readonly string[], { session }: Caller): Reply {
  if (argv.length > 2) return new ErrorReply("ERR wrong number of arguments for 'ping' command");
  if (session.isSubscriber && session.resp === 2) return ["pong", argv[1] ?? ""];
  return argv[1] ?? new StatusReply("PONG");
}

const WRONG_PASSWORD = "WRONGPASS invalid username-password pair or user is disabled.";

function authenticate(caller: Caller, user: string, password: string): void {
  const required = caller.server.config.text("requirepass");
  // Without a password the default user lets everyone in; there are no other users.
  if (user !== "default" || (required !== "" && password !== required)) fail(WRONG_PASSWORD);
  caller.session.authenticated = true;
}

function auth(argv: readonly string[], caller: Caller): Reply {
  if (argv.length > 3) return new ErrorReply("ERR syntax error");
  if (argv.length === 2 && caller.server.config.text("requirepass") === "") {
    return new ErrorReply(
      "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
    );
  }
  authenticate(caller, argv.length === 3 ? at(argv, 1) : "default", at(argv, argv.length - 1));
  return OK;
}

function hello(argv: readonly string[], caller: Caller): Reply {
  const { session, server } = caller;
  let protocol = session.resp;
  if (argv.length > 1) {
    const asked = integerArgument(at(argv, 1), "ERR Protocol version is not an integer or out of range");
    if (asked !== 2 && asked !== 3) return new ErrorReply("NOPROTO unsupported protocol version");
    protocol = asked;
  }
  let name: string | undefined;
  let credentials: readonly [string, string] | undefined;
  for (let index = 2; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    if (option === "auth" && index + 2 < argv.length) {
      credentials = [at(argv, index + 1), at(argv, index + 2)];
      index += 2;
    } else if (option === "setname" && index + 1 < argv.length) {
      name = at(argv, index + 1);
      setName.check(name);
      index += 1;
    } else return new ErrorReply(`ERR Syntax error in HELLO option '${at(argv, index)}'`);
  }
  if (credentials !== undefined) authenticate(caller, ...credentials);
  if (!session.authenticated) {
    return new ErrorReply(
      "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time",
    );
  }
  if (name !== undefined) session.name = name;
  session.resp = protocol;
  return new MapReply([
    ...["server", "redis", "version", server.version, "proto", protocol, "id", session.id, "mode", "standalone"],
    ...["role", server.isReplica ? "replica" : "master"],
    "modules",
    server.isModern ? [new MapReply(["name", "vectorset", "ver", 1, "path", "", "args", []])] : [],
  ]);
}

function reset(_argv: readonly string[], { session, server }: Caller): Reply {
  if (session.role !== "normal") return new ErrorReply("ERR can only reset normal client connections");
  session.discardTransaction();
  server.pubsub.drop(session);
  session.db = server.database(0);
  session.resp = 2;
  session.authenticated = server.config.text("requirepass") === "";
  session.name = "";
  session.replies = "on";
  session.noEvict = false;
  session.noTouch = false;
  session.tracking = undefined;
  return new StatusReply("RESET");
}
