import { ErrorReply, type Reply } from "../../redis/protocol/reply.ts";
import type { ClientSession } from "../client-session.ts";
import type { Sentinel } from "../sentinel.ts";

/** The caller of a command, and its Sentinel. */
export interface SentinelCaller {
  readonly sentinel: Sentinel;
  readonly session: ClientSession;
  /** All connections of clients. */
  readonly sessions: ReadonlySet<ClientSession>;
}

/** A command, or a subcommand, that a Sentinel has. */
export interface SentinelCommand {
  /** In lower case. */
  readonly name: string;
  /** The number of words, its own name (and its container's) included; negative: at least that many. */
  readonly arity: number;
  readonly run: (argv: readonly string[], caller: SentinelCaller) => Reply;
  /** A subscriber that speaks RESP2 may use it. A container leaves that to its subcommands. */
  readonly forSubscribers?: boolean;
}

/** The i-th word of a command; the check of the arity guarantees that it is there. */
export function word(argv: readonly string[], index: number): string {
  return argv[index] ?? "";
}

/** The integer in a word, or undefined. */
export function integerOf(text: string): number | undefined {
  return /^(0|-?[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined;
}

/** Dispatches a command to its subcommand. */
export function container(name: string, subcommands: readonly SentinelCommand[]): SentinelCommand {
  const named = new Map(subcommands.map((subcommand) => [subcommand.name, subcommand]));
  return {
    name,
    arity: -2,
    forSubscribers: true,
    run: (argv, caller) => {
      const given = word(argv, 1);
      const subcommand = named.get(given.toLowerCase());
      if (subcommand === undefined) {
        return new ErrorReply(`ERR unknown subcommand '${given.slice(0, 128)}'. Try ${name.toUpperCase()} HELP.`);
      }
      return checkedRun({ ...subcommand, name: `${name}|${subcommand.name}` }, argv, caller);
    },
  };
}

/** Runs a command if it has the right number of words and its caller may run it. */
export function checkedRun(command: SentinelCommand, argv: readonly string[], caller: SentinelCaller): Reply {
  const { name, arity } = command;
  if (arity >= 0 ? argv.length !== arity : argv.length < -arity) {
    return new ErrorReply(`ERR wrong number of arguments for '${name}' command`);
  }
  const { protocol, subscriptions } = caller.session;
  if (protocol === 2 && subscriptions > 0 && command.forSubscribers !== true) {
    return new ErrorReply(
      `ERR Can't execute '${name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
    );
  }
  return command.run(argv, caller);
}
