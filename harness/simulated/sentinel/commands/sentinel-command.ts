import { ErrorReply, type Reply } from "../../redis/reply.ts";
import type { ClientSession } from "../client-session.ts";
import type { Sentinel } from "../sentinel.ts";

/** Who runs a command, and where. */
export interface Caller {
  readonly sentinel: Sentinel;
  readonly session: ClientSession;
  /** All connections of clients. */
  readonly sessions: ReadonlySet<ClientSession>;
}

/** A command, or a subcommand, that a Sentinel has. */
export interface SentinelCommand {
  /** In lower case. */
  readonly name: string;
  /** How many words, its own name (and its container's) included; negative: at least so many. */
  readonly arity: number;
  readonly run: (argv: readonly string[], caller: Caller) => Reply;
  /** May be used by a subscriber that speaks RESP2. A container leaves that to its subcommands. */
  readonly forSubscribers?: boolean;
}

/** The i-th word of a command; the arity has made sure that it is there. */
export function word(argv: readonly string[], index: number): string {
  return argv[index] ?? "";
}

/** The integer that a word is, or undefined. */
export function integerOf(text: string): number | undefined {
  return /^(0|-?[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined;
}

/** Answers a command by its subcommand. */
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

/** Runs a command if it was given as many words as it takes, by somebody who may. */
export function checkedRun(command: SentinelCommand, argv: readonly string[], caller: Caller): Reply {
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
