import { encodeCommand } from "../redis/protocol/resp-encoder.ts";
import { RequestParser } from "../redis/protocol/resp-parser.ts";
import type { RedisServer } from "../redis/server.ts";
import type { ReplicationSource } from "./replication-source.ts";

interface Transaction {
  /** Its commands as they came. */
  text: string;
  readonly effects: { readonly database: number; readonly argv: readonly string[] }[];
  /** What was selected before it. */
  readonly databaseBefore: number;
}

/**
 * A master's stream as its replica applies it. Applied bytes count into the replica's offset and go on to its own
 * replicas unchanged; a transaction does so as a whole, or, when the connection breaks in the middle, not at all.
 */
export class ReplicationStream {
  readonly #server: RedisServer;
  readonly #source: ReplicationSource;
  readonly #onAskedForOffset: () => void;
  #parser = new RequestParser();
  #database = 0;
  #transaction: Transaction | undefined;

  /** @param onAskedForOffset the master wants an acknowledgement now */
  constructor(server: RedisServer, source: ReplicationSource, onAskedForOffset: () => void) {
    this.#server = server;
    this.#source = source;
    this.#onAskedForOffset = onAskedForOffset;
  }

  /** A connection begins: what the last one sent incompletely will be sent again. */
  connect(): void {
    this.#parser = new RequestParser();
    if (this.#transaction !== undefined) this.#database = this.#transaction.databaseBefore;
    this.#transaction = undefined;
  }

  /** A master's data replaced the data: the stream starts again. */
  restart(): void {
    this.connect();
    this.#database = 0;
  }

  receive(text: string): void {
    this.#parser.push(text);
    for (;;) {
      const request = this.#parser.next(true);
      if (request === undefined) return;
      if ("protocolError" in request) throw new Error(`a replication stream is broken: ${request.protocolError}`);
      this.#take(request);
    }
  }

  #take(argv: readonly string[]): void {
    const name = argv[0]?.toUpperCase();
    const text = encodeCommand(argv);
    const transaction = this.#transaction;
    if (name === "MULTI") this.#transaction = { text, effects: [], databaseBefore: this.#database };
    else if (transaction !== undefined) {
      transaction.text += text;
      if (name === "EXEC") this.#commit(transaction);
      else if (name === "SELECT") this.#database = Number(argv[1]);
      else transaction.effects.push({ database: this.#database, argv });
    } else {
      // The requested offset is the one before the request.
      if (name === "REPLCONF" && argv[1]?.toUpperCase() === "GETACK") this.#onAskedForOffset();
      this.#source.append(text);
      this.#apply(name, argv);
    }
  }

  #commit({ text, effects }: Transaction): void {
    this.#transaction = undefined;
    this.#source.append(text);
    this.#server.apply(effects);
  }

  #apply(name: string | undefined, argv: readonly string[]): void {
    if (name === undefined || name === "PING" || name === "REPLCONF") return;
    if (name === "SELECT") this.#database = Number(argv[1]);
    else this.#server.apply([{ database: this.#database, argv }]);
  }
}
