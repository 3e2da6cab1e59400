import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "../../../harness/core/lock-driver.ts";
import { createSchema } from "./schema.ts";
import { SqlSession, type StatementOutcome } from "./session.ts";
import { SQL_TIMEOUTS, type SqlTimeouts } from "./session-options.ts";

/** How long `StandingSession.open` tries. */
const OPEN_WITHIN_MS = 10_000;

/**
 * A session that is reopened whenever it has ended, for statements that are each a transaction of their own. A
 * statement that finds no session fails at once, and was certainly not sent. No statement is ever sent twice.
 */
export class StandingSession implements AsyncDisposable {
  readonly #address: Address;
  readonly #timeouts: SqlTimeouts;
  readonly #definitions: readonly string[];
  readonly #over = new AbortController();
  #session: SqlSession | undefined;
  #lastError: unknown;
  #keeping: Promise<void> = Promise.resolve();

  private constructor(address: Address, timeouts: SqlTimeouts, definitions: readonly string[]) {
    this.#address = address;
    this.#timeouts = timeouts;
    this.#definitions = definitions;
  }

  /**
   * @param definitions what each new session creates where it is missing: the server may have restarted without it
   * @throws when there is no session within ten seconds
   */
  static async open(
    address: Address,
    { timeouts = SQL_TIMEOUTS, definitions }: { timeouts?: SqlTimeouts; definitions: readonly string[] },
  ): Promise<StandingSession> {
    const standing = new StandingSession(address, timeouts, definitions);
    const deadlineMs = performance.now() + OPEN_WITHIN_MS;
    while (!(await standing.#connect())) {
      if (performance.now() > deadlineMs) throw standing.#lastError;
      await sleep(timeouts.reconnectMs);
    }
    standing.#keeping = standing.#keep();
    return standing;
  }

  /** Runs a statement in the current session. Never rejects. */
  run(statement: string, parameters?: readonly (string | number)[]): Promise<StatementOutcome> {
    const session = this.#session;
    if (session !== undefined) return session.run(statement, parameters);
    return Promise.resolve({ type: "fail", kind: "error", reason: "there is no session, nothing was sent" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#session?.[Symbol.dispose]();
    await this.#keeping;
  }

  /** Replaces every session that has ended. */
  async #keep(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await this.#session?.ended;
      this.#session = undefined;
      while (!signal.aborted && !(await this.#connect()))
        await sleep(this.#timeouts.reconnectMs, undefined, { signal }).catch(() => {});
    }
    this.#session?.[Symbol.dispose]();
  }

  /** False, with the reason kept, when no session can be opened now. */
  async #connect(): Promise<boolean> {
    let session: SqlSession | undefined;
    try {
      session = await SqlSession.open(this.#address, this.#timeouts);
      await createSchema(session, this.#definitions);
      this.#session = session;
      return true;
    } catch (error) {
      session?.[Symbol.dispose]();
      this.#lastError = error;
      return false;
    }
  }
}
