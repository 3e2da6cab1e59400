import type { KeyPositions } from "../../core/messages/command-keys.ts";
import type { Database } from "./keyspace/database.ts";
import type { Reply } from "./protocol/reply.ts";
import type { Protocol } from "./protocol/resp-encoder.ts";
import type { RedisServer } from "./server.ts";
import type { Session } from "./session.ts";

/** Flags as COMMAND INFO shows them, and two that it hides: `may_replicate` and `touches_arbitrary_keys`. */
type CommandFlag =
  | "admin"
  | "allow_busy"
  | "blocking"
  | "denyoom"
  | "fast"
  | "loading"
  | "may_replicate"
  | "movablekeys"
  | "no_async_loading"
  | "no_auth"
  | "no_mandatory_keys"
  | "no_multi"
  | "noscript"
  | "pubsub"
  | "readonly"
  | "skip_monitor"
  | "skip_slowlog"
  | "stale"
  | "touches_arbitrary_keys"
  | "write";

/** The caller of a command: a connection, or a script that a connection runs. */
export interface Caller {
  readonly server: RedisServer;
  /** The connection, also where a script runs the command. */
  readonly session: Session;
  db: Database;
  resp: Protocol;
  readonly inScript: boolean;
}

/** Executes a command. `argv[0]` is its name as it was sent; the number of arguments was checked. */
export type Handler = (argv: readonly string[], caller: Caller) => Reply;

export interface Command {
  /** Lower case; `client|id` for a subcommand. */
  readonly name: string;
  /** Number of arguments, the name included; negative: at least that many. */
  readonly arity: number;
  readonly flags: ReadonlySet<CommandFlag>;
  readonly keys: KeyPositions;
  readonly handler: Handler;
  readonly subcommands?: ReadonlyMap<string, Command>;
  // The flags that are checked for each command, as plain fields.
  readonly writes: boolean;
  readonly reads: boolean;
  readonly denyOom: boolean;
  readonly noScript: boolean;
  /** True for all that write, too. */
  readonly mayReplicate: boolean;
  readonly stale: boolean;
  readonly loading: boolean;
  readonly touchesAnyKey: boolean;
  /** True for commands whose parts are propagated instead of themselves: EXEC, and those that run scripts. */
  readonly transparent?: boolean;
  /** Reads further flags from the arguments: a script's header can declare that it does not write. */
  readonly refine?: (argv: readonly string[], server: RedisServer) => Command;
}

export const NO_KEYS: KeyPositions = [0, 0, 0];
export const ONE_KEY: KeyPositions = [1, 1, 1];
export const ALL_KEYS: KeyPositions = [1, -1, 1];
/** The key after a subcommand. */
export const SECOND_KEY: KeyPositions = [2, 2, 1];
export const TWO_KEYS: KeyPositions = [1, 2, 1];

/** Describes a command. `flags` are separated by blanks. */
export function command(name: string, arity: number, flags: string, keys: KeyPositions, handler: Handler): Command {
  const set = new Set(flags.split(" ").filter((flag) => flag !== "") as CommandFlag[]);
  return {
    name,
    arity,
    flags: set,
    keys,
    handler,
    writes: set.has("write"),
    reads: set.has("readonly"),
    denyOom: set.has("denyoom"),
    noScript: set.has("noscript"),
    mayReplicate: set.has("may_replicate") || set.has("write"),
    stale: set.has("stale"),
    loading: set.has("loading"),
    touchesAnyKey: set.has("touches_arbitrary_keys"),
  };
}

/** Describes a command that only has subcommands; their names are given without the container's. */
export function container(name: string, flags: string, subcommands: readonly Command[]): Command {
  const named = subcommands.map((each): [string, Command] => [each.name, { ...each, name: `${name}|${each.name}` }]);
  return { ...command(name, -2, flags, NO_KEYS, () => undefined), subcommands: new Map(named) };
}

/** True when the command takes this many arguments, its name included. */
export function acceptsCount(spec: Command, count: number): boolean {
  return spec.arity >= 0 ? count === spec.arity : count >= -spec.arity;
}
