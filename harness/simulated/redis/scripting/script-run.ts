import type { Caller, Command } from "../command.ts";
import type { Database } from "../keyspace/database.ts";
import { acceptsCount } from "../command.ts";
import { call, findCommand, NO_REPLICAS, OUT_OF_MEMORY, READ_ONLY, type Propagation } from "../execute.ts";
import type { ErrorReply } from "../protocol/reply.ts";
import { type Reply } from "../protocol/reply.ts";
import type { Protocol } from "../protocol/resp-encoder.ts";
import type { RedisServer } from "../server.ts";
import type { Session } from "../session.ts";
import type { ScriptFlags } from "./script-header.ts";

/** Why a script's command cannot run. Its text has no code: scripts get `ERR` before it. */
export class Refusal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** One run of a script or a function: the caller of its commands. */
export class ScriptRun implements Caller {
  readonly server: RedisServer;
  readonly session: Session;
  readonly inScript = true;
  db: Database;
  resp: Protocol = 2;
  /** Where effects go; `redis.set_repl` restricts it. */
  propagation: Propagation = { toReplicas: true, toFile: true };
  readonly #isReadOnly: boolean;
  readonly #ignoresMemory: boolean;
  #hasWritten = false;

  constructor(caller: Caller, flags: ScriptFlags, isReadOnly: boolean) {
    this.server = caller.server;
    this.session = caller.session;
    this.db = caller.db;
    const { compatible, noWrites, allowOom } = flags;
    this.#isReadOnly = isReadOnly || (!compatible && noWrites);
    this.#ignoresMemory = !compatible && allowOom;
  }

  /** Runs a command for the script. */
  call(argv: readonly string[]): Reply | Refusal {
    const found = findCommand(this.server, argv);
    if (found === undefined || (found.subcommands !== undefined && argv.length < 2)) {
      return new Refusal(found === undefined ? "Unknown Redis command called from script" : WRONG_COUNT);
    }
    if (!acceptsCount(found, argv.length)) return new Refusal(WRONG_COUNT);
    if (found.noScript) return new Refusal("This Redis command is not allowed from script");
    if (this.server.isStale && !found.stale) {
      return new Refusal("Can not execute the command on a stale replica");
    }
    const refusal = this.#refusalToWrite(found);
    if (refusal !== undefined) return refusal;
    if (found.writes) this.#hasWritten = true;
    return call(found, argv, this, this.propagation);
  }

  /** Once it has written, a script is not stopped half-way. */
  #refusalToWrite(command: Command): Refusal | ErrorReply | undefined {
    const { server, session } = this;
    if (this.#isReadOnly && command.mayReplicate) {
      return new Refusal("Write commands are not allowed from read-only scripts.");
    }
    const obeyed = session.role === "master";
    if (command.writes && !this.#hasWritten) {
      if (server.isReplica && !server.isWritableReplica && !obeyed) return READ_ONLY;
      if (server.lacksReplicas()) return NO_REPLICAS;
    }
    const isShort = server.outOfMemory && server.config.maxMemory > 0;
    if (command.denyOom && isShort && !obeyed && !this.#hasWritten && !this.#ignoresMemory) return OUT_OF_MEMORY;
    return undefined;
  }
}

const WRONG_COUNT = "Wrong number of args calling Redis command from script";
