import { keysOf } from "../../core/messages/command-keys.ts";
import { isAbsent } from "./absent-commands.ts";
import { acceptsCount, type Caller, type Command } from "./command.ts";
import { ErrorReply, errorReply, QUEUED, ReplyError, type Reply } from "./protocol/reply.ts";
import type { RedisServer } from "./server.ts";
import type { Session } from "./session.ts";

const NO_AUTH = new ErrorReply("NOAUTH Authentication required.");
export const OUT_OF_MEMORY = new ErrorReply("OOM command not allowed when used memory > 'maxmemory'.");
export const NO_REPLICAS = new ErrorReply("NOREPLICAS Not enough good replicas to write.");
export const READ_ONLY = new ErrorReply("READONLY You can't write against a read only replica.");
export const MASTER_DOWN = new ErrorReply(
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
);
const LOADING = new ErrorReply("LOADING Redis is loading the dataset in memory");
const NOT_IN_TRANSACTION = new ErrorReply("ERR Command not allowed inside a transaction");
const FOR_REPLICAS = new ErrorReply("ERR Replica can't interact with the keyspace");

const ALLOWED_WHILE_SUBSCRIBED = new Set([
  "ping",
  "subscribe",
  "ssubscribe",
  "unsubscribe",
  "sunsubscribe",
  "psubscribe",
  "punsubscribe",
  "quit",
  "reset",
]);
const NEVER_QUEUED = new Set(["exec", "discard", "multi", "watch", "quit", "reset"]);

/** Finds a command, or the subcommand that the second argument names. */
export function findCommand(server: RedisServer, argv: readonly string[]): Command | undefined {
  const name = argv[0] ?? "";
  const found = server.commands.get(name) ?? server.commands.get(name.toLowerCase());
  if (found === undefined && isAbsent(name)) server.hooks.absentCommand?.(name.toUpperCase());
  if (found?.subcommands === undefined || argv.length < 2) return found;
  return found.subcommands.get((argv[1] ?? "").toLowerCase());
}

/** The reply for a command that does not exist, or exists but not with this subcommand. */
function unknownCommand(server: RedisServer, argv: readonly string[]): ErrorReply {
  const name = cString(argv[0] ?? "");
  if (server.commands.get(name.toLowerCase())?.subcommands !== undefined && argv.length > 1) {
    const sub = cString(argv[1] ?? "").slice(0, 128);
    return errorReply(`ERR unknown subcommand '${sub}'. Try ${name.toUpperCase()} HELP.`);
  }
  let shown = "";
  for (const argument of argv.slice(1)) {
    if (shown.length >= 128) break;
    shown += `'${cString(argument).slice(0, 128 - shown.length)}' `;
  }
  return new ErrorReply(
    `ERR unknown command '${name.slice(0, 128)}', with args beginning with: ${shown}`.replace(/[\r\n]/g, " "),
  );
}

/** The text up to the first NUL, which is all that the server's messages show. */
export function cString(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** Runs a connection's command: checks in the server's order, then queues or executes it. Undefined: no reply. */
export function execute(session: Session, argv: readonly string[]): Reply {
  const { server } = session;
  const found = findCommand(server, argv);
  if (found === undefined) {
    session.lastCommand = undefined;
    return isHttp(argv) ? hangUp(session) : reject(session, undefined, unknownCommand(server, argv));
  }
  session.lastCommand = found;
  if (!acceptsCount(found, argv.length)) return reject(session, found, wrongArity(found));
  const command = found.refine?.(argv, server) ?? found;
  const refusal = refusalOf(session, command);
  if (refusal !== undefined) return reject(session, command, refusal);
  if (isHeldByPause(session, command)) {
    session.postpone(argv);
    return undefined;
  }
  if (session.transaction !== undefined && !NEVER_QUEUED.has(command.name)) {
    if (!session.transactionFailed && !session.transaction.failed) session.transaction.queue.push({ command, argv });
    return QUEUED;
  }
  return call(command, argv, session);
}

/** The request of a browser: such a connection is closed without a reply. */
function isHttp(argv: readonly string[]): boolean {
  const name = (argv[0] ?? "").toLowerCase();
  return name === "host:" || name === "post";
}

function hangUp(session: Session): undefined {
  session.server.hooks.httpWanted?.();
  session.closing = true;
  session.server.willSend(session);
}

function wrongArity(command: Command): ErrorReply {
  return new ErrorReply(`ERR wrong number of arguments for '${command.name}' command`);
}

function reject(session: Session, command: Command | undefined, reply: ErrorReply): Reply {
  if (session.transaction !== undefined) session.transaction.failed = true;
  if (command?.name !== "exec") return reply;
  session.discardTransaction();
  return errorReply(`EXECABORT Transaction discarded because of: ${reply.text.replace(/^ERR /, "")}`);
}

/** Flags of a command; for EXEC, of everything it will run. */
type Needs = Pick<Command, "writes" | "reads" | "denyOom" | "mayReplicate" | "stale" | "loading">;

function needsOf(session: Session, command: Command): Needs {
  if (command.name !== "exec" || session.transaction === undefined) return command;
  const queued = session.transaction.queue.map((each) => each.command);
  return {
    writes: queued.some((each) => each.writes),
    reads: queued.some((each) => each.reads),
    denyOom: queued.some((each) => each.denyOom),
    mayReplicate: queued.some((each) => each.mayReplicate),
    stale: queued.every((each) => each.stale),
    loading: queued.every((each) => each.loading),
  };
}

/** Why the command must not run now, in the order of the server's checks. */
function refusalOf(session: Session, command: Command): ErrorReply | undefined {
  const { server } = session;
  if (!session.authenticated && !command.flags.has("no_auth")) return NO_AUTH;
  if (session.transaction !== undefined && command.flags.has("no_multi")) return NOT_IN_TRANSACTION;
  const needs = needsOf(session, command);
  const obeyed = session.role === "master";
  const memory = refusalForMemory(session, command, needs.denyOom);
  if (memory !== undefined) return memory;
  if (needs.writes && server.lacksReplicas()) return NO_REPLICAS;
  if (needs.writes && server.isReplica && !server.isWritableReplica && !obeyed) return READ_ONLY;
  if (session.isSubscriber && session.resp === 2 && !ALLOWED_WHILE_SUBSCRIBED.has(command.name)) {
    return new ErrorReply(
      `ERR Can't execute '${command.name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
    );
  }
  if (server.isStale && !needs.stale) return MASTER_DOWN;
  if (server.loading && !needs.loading) return LOADING;
  if (session.role === "replica" && (needs.mayReplicate || needs.writes || needs.reads)) return FOR_REPLICAS;
  return undefined;
}

function refusalForMemory(session: Session, command: Command, denyOom: boolean): ErrorReply | undefined {
  const { server } = session;
  if (server.config.maxMemory === 0) {
    server.outOfMemory = false;
    return undefined;
  }
  server.outOfMemory = !server.freeMemory();
  const queues = !server.isModern && session.transaction !== undefined;
  const refuse = denyOom || (queues && !["exec", "discard", "quit", "reset"].includes(command.name));
  return server.outOfMemory && refuse ? OUT_OF_MEMORY : undefined;
}

function isHeldByPause(session: Session, command: Command): boolean {
  const { server } = session;
  if (!server.isPaused || session.role !== "normal") return false;
  return !server.pausedWritesOnly || needsOf(session, command).mayReplicate;
}

/** Where a command's effects may go. A script can restrict it. */
export interface Propagation {
  readonly toReplicas: boolean;
  readonly toFile: boolean;
}

const EVERYWHERE: Propagation = { toReplicas: true, toFile: true };

/** Executes a command and records its effects. */
export function call(command: Command, argv: readonly string[], caller: Caller, allowed = EVERYWHERE): Reply {
  const { server } = caller;
  const { rewritten, forced } = server;
  const dirtyBefore = server.dirty;
  const offsetBefore = server.replication.offset;
  server.propagateAsUsual();
  let reply: Reply;
  server.beginUnit();
  try {
    reply = handle(command, argv, caller);
    const { tracking } = caller.session;
    if (tracking !== undefined && command.reads && !command.transparent) {
      server.tracked.remember(caller.session, tracking, keysOf(argv, command.keys));
    }
    if (command.transparent !== true && (server.dirty !== dirtyBefore || server.forced !== "no")) {
      const toFile = allowed.toFile && server.forced !== "replicas";
      const effect = server.rewritten ?? argv;
      if (effect.length > 0 && (allowed.toReplicas || toFile)) {
        server.effects.add(caller.db.id, effect, allowed.toReplicas, toFile);
      }
    }
  } finally {
    server.endUnit(!command.touchesAnyKey);
  }
  server.rewritten = rewritten;
  server.forced = forced;
  server.statistics.commands += 1;
  if (server.replication.offset !== offsetBefore) caller.session.writeOffset = server.replication.offset;
  return reply;
}

function handle(command: Command, argv: readonly string[], caller: Caller): Reply {
  try {
    return command.handler(argv, caller);
  } catch (error) {
    if (error instanceof ReplyError) return error.reply;
    throw error;
  }
}

/** Applies an effect of the master or of the append-only file; its reply is dropped. */
export function applyEffect(server: RedisServer, database: number, argv: readonly string[]): void {
  if (database < 0 || argv[0] === "MULTI" || argv[0] === "EXEC") return;
  const command = findCommand(server, argv);
  if (command === undefined) throw new RangeError(`cannot apply ${argv.join(" ")}: no such command`);
  const session = server.effectSession();
  session.db = server.database(database);
  server.obeysMaster = true;
  try {
    call(command, argv, session);
  } finally {
    server.obeysMaster = false;
  }
}
