import { Socket } from "node:net";
import { Client, DatabaseError } from "pg";
import type { Address } from "../../../harness/core/lock-driver.ts";
import { SQL_TIMEOUTS, sessionOptions, type SqlTimeouts } from "./session-options.ts";

type Row = Readonly<Record<string, unknown>>;

/**
 * How a statement ended. `fail`: the server refused it, and it certainly had no effect; `code` is the SQLSTATE, absent
 * where nothing was sent. `info`: nobody knows.
 */
export type StatementOutcome =
  | { readonly type: "ok"; readonly rows: readonly Row[] }
  | { readonly type: "fail"; readonly kind: "error"; readonly reason: string; readonly code?: string | undefined }
  | { readonly type: "info"; readonly reason: string };

/** How a session ended: the server said so, which ends its transaction; or the connection broke; or the client left. */
export type SessionEnd = "by the server" | "by its connection" | "by the client";

/**
 * One session with a PostgreSQL server. It never reconnects: a caller that needs another session opens one, and knows
 * that the locks of the last one are gone.
 */
export class SqlSession implements Disposable {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #timeouts: SqlTimeouts;
  readonly #ended = Promise.withResolvers<SessionEnd>();
  #end: SessionEnd | undefined;

  private constructor(client: Client, socket: Socket, timeouts: SqlTimeouts) {
    this.#client = client;
    this.#socket = socket;
    this.#timeouts = timeouts;
    client.on("error", (error) => this.#over(isServersWord(error) ? "by the server" : "by its connection"));
    client.on("end", () => this.#over("by its connection"));
  }

  /** @throws when no session is open within `timeouts.connectMs` */
  static async open(address: Address, timeouts: SqlTimeouts = SQL_TIMEOUTS): Promise<SqlSession> {
    const socket = new Socket();
    const client = new Client({ ...sessionOptions(address, timeouts), stream: () => socket });
    const session = new SqlSession(client, socket, timeouts);
    try {
      await client.connect();
      return session;
    } catch (error) {
      session[Symbol.dispose]();
      throw error;
    }
  }

  /** How it ended; undefined while it is open. */
  get end(): SessionEnd | undefined {
    return this.#end;
  }

  /** Resolves when it ends. */
  get ended(): Promise<SessionEnd> {
    return this.#ended.promise;
  }

  /**
   * Runs a statement, or several in one message, which are one transaction; returns the rows of the last. Never
   * rejects.
   * @param withinMs how long its reply may take, where that is longer than usual
   */
  async run(
    statement: string,
    parameters: readonly (string | number)[] = [],
    withinMs = this.#timeouts.statementMs,
  ): Promise<StatementOutcome> {
    if (this.#end !== undefined) {
      return { type: "fail", kind: "error", reason: `the session was ended ${this.#end}, nothing was sent` };
    }
    const timer = setTimeout(() => this.#socket.destroy(new Error(`no reply within ${withinMs} ms`)), withinMs);
    try {
      // For several statements `pg` returns the results of each, which its types do not express.
      const result: unknown = await this.#client.query(statement, [...parameters]);
      const last = [result].flat().at(-1) as { readonly rows: readonly Row[] } | undefined;
      return { type: "ok", rows: last?.rows ?? [] };
    } catch (error) {
      return this.#classify(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connection without a message, which ends its transaction as soon as the server notices. */
  [Symbol.dispose](): void {
    this.#over("by the client");
    this.#socket.destroy();
  }

  /**
   * What an error proves. ERROR is the server's answer that it has undone the statement. FATAL is its last message
   * before it ends the session and says nothing about the statement; nor does a broken connection.
   */
  #classify(error: unknown): Exclude<StatementOutcome, { type: "ok" }> {
    const reason = error instanceof Error ? error.message : String(error);
    if (!(error instanceof DatabaseError)) return { type: "info", reason };
    if (error.severity === "ERROR") {
      return { type: "fail", kind: "error", reason, code: error.code };
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
