import { Socket } from "node:net";
import { Client, DatabaseError } from "pg";
import type { Address } from "../../driver.ts";
import { SQL_PATIENCE, sessionOptions, type SqlPatience } from "./session-options.ts";

type Row = Readonly<Record<string, unknown>>;

/**
 * How a statement ended. `fail`: the server has refused it, and it certainly had no effect; `code` is the SQLSTATE, absent
 * where nothing was sent. `info`: nobody knows.
 */
export type StatementOutcome =
  | { readonly type: "ok"; readonly rows: readonly Row[] }
  | { readonly type: "fail"; readonly kind: "error"; readonly reason: string; readonly code?: string }
  | { readonly type: "info"; readonly reason: string };

/** How a session ended: the server said so, which ends its transaction; or the connection broke; or the client left. */
export type SessionEnd = "by the server" | "by its connection" | "by the client";

/**
 * One session with a PostgreSQL server. It is never made anew: who needs another opens another, and knows that what the
 * last one held is gone.
 */
export class SqlSession implements Disposable {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #patience: SqlPatience;
  readonly #ended = Promise.withResolvers<SessionEnd>();
  #end: SessionEnd | undefined;

  private constructor(client: Client, socket: Socket, patience: SqlPatience) {
    this.#client = client;
    this.#socket = socket;
    this.#patience = patience;
    client.on("error", (error) => this.#over(isServersWord(error) ? "by the server" : "by its connection"));
    client.on("end", () => this.#over("by its connection"));
  }

  /** @throws when there is none within `patience.connectMs` */
  static async open(address: Address, patience: SqlPatience = SQL_PATIENCE): Promise<SqlSession> {
    const socket = new Socket();
    const client = new Client({ ...sessionOptions(address, patience), stream: () => socket });
    const session = new SqlSession(client, socket, patience);
    try {
      await client.connect();
      return session;
    } catch (error) {
      session[Symbol.dispose]();
      throw error;
    }
  }

  /** How it ended; undefined while it is there. */
  get end(): SessionEnd | undefined {
    return this.#end;
  }

  /** Resolves when it ends. */
  get ended(): Promise<SessionEnd> {
    return this.#ended.promise;
  }

  /**
   * Runs a statement, or several in one message, which are one transaction; gives the rows of the last. Never rejects.
   * @param withinMs how long its reply may take, where that is longer than usual
   */
  async run(
    statement: string,
    parameters: readonly (string | number)[] = [],
    withinMs = this.#patience.statementMs,
  ): Promise<StatementOutcome> {
    if (this.#end !== undefined) {
      return { type: "fail", kind: "error", reason: `the session was ended ${this.#end}, nothing was sent` };
    }
    const timer = setTimeout(() => this.#socket.destroy(new Error(`no reply within ${withinMs} ms`)), withinMs);
    try {
      // Of several statements it gives the results of each, which its types do not know.
      const result: unknown = await this.#client.query(statement, [...parameters]);
      const last = [result].flat().at(-1) as { readonly rows: readonly Row[] } | undefined;
      return { type: "ok", rows: last?.rows ?? [] };
    } catch (error) {
      return this.#classify(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Leaves without a word, which ends its transaction as soon as the server sees it. */
  [Symbol.dispose](): void {
    this.#over("by the client");
    this.#socket.destroy();
  }

  /**
   * What an error proves. An ERROR is the server's answer that it has undone the statement. FATAL is its last word before it
   * ends the session, whatever the statement had come to; a connection that breaks says nothing.
   */
  #classify(error: unknown): Exclude<StatementOutcome, { type: "ok" }> {
    const reason = error instanceof Error ? error.message : String(error);
    if (!(error instanceof DatabaseError)) return { type: "info", reason };
    if (error.severity === "ERROR") {
      return { type: "fail", kind: "error", reason, ...(error.code === undefined ? {} : { code: error.code }) };
    }
    this.#over("by the server");
    return { type: "info", reason };
  }

  #over(end: SessionEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#ended.resolve(end);
  }
}

function isServersWord(error: unknown): boolean {
  return error instanceof DatabaseError;
}
