import type { Address, Completion } from "../../driver.ts";
import { noDrift, startLease } from "../../lease.ts";
import { fenceFrom } from "./fence.ts";
import { createSchema } from "./schema.ts";
import { type SessionEnd, SqlSession, type StatementOutcome } from "./session.ts";
import { SQL_PATIENCE, type SqlPatience } from "./session-options.ts";

/** What a lock gives: its fencing token, and for how long from now the holder may trust it. */
export interface RowLock {
  readonly fence: number;
  readonly validForMs: number;
  readonly validFromMs: number;
}

/**
 * One row per key, to be locked and nothing else, and one sequence for the fencing tokens of all. Tokens must not come from
 * a column of the row: what a transaction has written is gone when its session ends without COMMIT, as that of a holder
 * does who died, and the next would get the same. `nextval` is never undone. CACHE 1, because a session that has
 * tokens in stock hands out smaller ones than a session that took the lock before it.
 */
const DEFINITIONS = [
  "CREATE TABLE IF NOT EXISTS lockstorm_locks (key text PRIMARY KEY)",
  "CREATE SEQUENCE IF NOT EXISTS lockstorm_fences AS bigint CACHE 1",
];

const CREATE = "INSERT INTO lockstorm_locks (key) VALUES ($1) ON CONFLICT (key) DO NOTHING";

/**
 * A statement of its own, after the row is locked: PostgreSQL computes what a SELECT ... FOR UPDATE returns before it locks,
 * and a token that was minted before the wait is smaller than those of who held meanwhile.
 *
 * `nextval` is not undone, but until it is on disk a crash of the server can undo it, and only COMMIT, which is the end of
 * the hold, waits for the disk. Hence the message: it writes nothing of use, and has the log flushed up to itself, the
 * token's record before it. It carries the token, so that it cannot be written before that is there.
 */
const MINT = `SELECT fence, pg_logical_emit_message(false, 'lockstorm', fence::text, true)
  FROM (SELECT nextval('lockstorm_fences') AS fence OFFSET 0) AS minted`;

/** SQLSTATE of `lock_timeout`, and of NOWAIT. */
const LOCK_NOT_AVAILABLE = "55P03";

/** How much longer than it may wait a statement may take: each of the two locks behind FOR UPDATE may take the whole wait. */
const WAITS = 2;

/** A session in which one row at a time can be locked, by a transaction that stays open. */
export class RowLocks implements Disposable {
  readonly #session: SqlSession;
  readonly #patience: SqlPatience;
  /** Called when its session ends. */
  onEnd: () => void = () => {};

  private constructor(session: SqlSession, patience: SqlPatience) {
    this.#session = session;
    this.#patience = patience;
    void session.ended.then(() => this.onEnd());
  }

  /** @throws when there is no session to be had */
  static async open(address: Address, patience: SqlPatience = SQL_PATIENCE): Promise<RowLocks> {
    const session = await SqlSession.open(address, patience);
    try {
      await createSchema(session, DEFINITIONS);
      return new RowLocks(session, patience);
    } catch (error) {
      session[Symbol.dispose]();
      throw error;
    }
  }

  /** How its session ended; undefined while it is there. */
  get end(): SessionEnd | undefined {
    return this.#session.end;
  }

  /**
   * Begins a transaction and locks the key's row in it, waiting up to `waitMs` for each of the holders before. If that does
   * not succeed the transaction is over, or else the session is.
   */
  async lock(key: string, { ttlMs, waitMs }: { ttlMs: number; waitMs: number }): Promise<Completion<RowLock>> {
    const locked = await this.#lockRow(key, { ttlMs, waitMs });
    if (locked.type !== "ok") return this.#giveUp(locked);
    // The server's patience counts from its last reply, which comes after this.
    const lease = startLease(ttlMs, noDrift, () => performance.now());
    const minted = await this.#session.run(MINT);
    if (minted.type !== "ok") return this.#giveUp(minted);
    const validFromMs = performance.now();
    const validForMs = lease.remainingMs();
    if (validForMs <= 0) return this.#giveUp({ type: "fail", kind: "error", reason: "locked too late to be of use" });
    return { type: "ok", value: { fence: fenceFrom(minted.rows[0]?.["fence"]), validForMs, validFromMs } };
  }

  /** Has the server wait for `ttlMs` from now. Gives for how long that can be trusted. */
  async prolong(ttlMs: number): Promise<Completion<Omit<RowLock, "fence">>> {
    const lease = startLease(ttlMs, noDrift, () => performance.now());
    const outcome = await this.#session.run(`SET LOCAL idle_in_transaction_session_timeout = ${lease.ttlMs}`);
    if (outcome.type !== "ok") return outcome;
    const validFromMs = performance.now();
    const validForMs = lease.remainingMs();
    if (validForMs <= 0) return { type: "info", reason: "prolonged too late to be of use" };
    return { type: "ok", value: { validForMs, validFromMs } };
  }

  /** Ends the transaction, and with it the hold. */
  commit(): Promise<StatementOutcome> {
    return this.#session.run("COMMIT");
  }

  [Symbol.dispose](): void {
    this.#session[Symbol.dispose]();
  }

  /** The row is made where there is none: its session may have been opened before the server lost it. */
  async #lockRow(key: string, times: { ttlMs: number; waitMs: number }): Promise<StatementOutcome> {
    const locked = await this.#tryRow(key, times);
    if (locked.type !== "ok" || locked.rows.length > 0) return locked;
    const undone = await this.#session.run("ROLLBACK");
    if (undone.type !== "ok") return undone;
    const created = await this.#session.run(CREATE, [key]);
    return created.type === "ok" ? this.#tryRow(key, times) : created;
  }

  async #tryRow(key: string, { ttlMs, waitMs }: { ttlMs: number; waitMs: number }): Promise<StatementOutcome> {
    const { ttlMs: wholeMs } = startLease(ttlMs, noDrift, () => 0);
    const begun = await this.#session.run(
      [
        "BEGIN",
        `SET LOCAL idle_in_transaction_session_timeout = ${wholeMs}`,
        `SET LOCAL lock_timeout = ${Math.ceil(waitMs)}`,
      ].join("; "),
    );
    if (begun.type !== "ok") return begun;
    // A lock_timeout of 0 would be for ever.
    const nowait = waitMs === 0 ? " NOWAIT" : "";
    return this.#session.run(
      `SELECT key FROM lockstorm_locks WHERE key = $1 FOR UPDATE${nowait}`,
      [key],
      WAITS * waitMs + this.#patience.statementMs,
    );
  }

  /** What a try has come to that was not granted, after its transaction is over. */
  async #giveUp(outcome: Exclude<StatementOutcome, { type: "ok" }>): Promise<Completion<never>> {
    if (this.#session.end === undefined) {
      const undone = await this.#session.run("ROLLBACK");
      if (undone.type !== "ok") this.#session[Symbol.dispose]();
    }
    if (outcome.type === "fail" && outcome.code === LOCK_NOT_AVAILABLE)
      return { type: "fail", kind: "contended", reason: "held by another" };
    return outcome;
  }
}
