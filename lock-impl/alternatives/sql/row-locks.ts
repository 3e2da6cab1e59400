import type { Address, Completion } from "../../../harness/core/lock-driver.ts";
import { noDrift, startLease } from "../../parts/lease.ts";
import { fenceFrom } from "./fence.ts";
import { createSchema } from "./schema.ts";
import { type SessionEnd, SqlSession, type StatementOutcome } from "./session.ts";
import { SQL_TIMEOUTS, type SqlTimeouts } from "./session-options.ts";

/** What a lock gives: its fencing token, and how long from now the holder may trust it. */
export interface RowLock {
  readonly fence: number;
  readonly validForMs: number;
  readonly validFromMs: number;
}

/**
 * One row per key, which is only locked, and one sequence for the fencing tokens of all keys. Fencing tokens must not
 * come from a column of the row: when a session ends without COMMIT, as that of a dead holder does, what its
 * transaction wrote is gone, and the next holder would get the same fencing token. `nextval` is never undone. CACHE 1,
 * because a session with cached values hands out smaller ones than a session that took the lock before it.
 */
const DEFINITIONS = [
  "CREATE TABLE IF NOT EXISTS lockstorm_locks (key text PRIMARY KEY)",
  "CREATE SEQUENCE IF NOT EXISTS lockstorm_fences AS bigint CACHE 1",
];

const CREATE = "INSERT INTO lockstorm_locks (key) VALUES ($1) ON CONFLICT (key) DO NOTHING";

/**
 * A separate statement, run after the row is locked: PostgreSQL computes what a SELECT ... FOR UPDATE returns before it
 * locks the row, and a fencing token minted before the wait is smaller than those of the clients that held the lock
 * meanwhile.
 *
 * `nextval` is not undone, but a crash of the server can undo it until it is on disk, and only COMMIT, which ends the
 * hold, waits for the disk. So the statement also emits a logical message: its content has no use, but it makes the
 * server flush the log up to itself, including the fencing token's record before it. It carries the fencing token, so
 * it cannot be written before the fencing token exists.
 */
const MINT = `SELECT fence, pg_logical_emit_message(false, 'lockstorm', fence::text, true)
  FROM (SELECT nextval('lockstorm_fences') AS fence OFFSET 0) AS minted`;

/** SQLSTATE of `lock_timeout`, and of NOWAIT. */
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * A statement may take this many times its allowed wait: each of the two locks behind FOR UPDATE may take the whole
 * wait.
 */
const WAITS = 2;

/** A session that can lock one row at a time, by a transaction that stays open. */
export class RowLocks implements Disposable {
  readonly #session: SqlSession;
  readonly #timeouts: SqlTimeouts;
  /** Called when its session ends. */
  onEnd: () => void = () => {};

  private constructor(session: SqlSession, timeouts: SqlTimeouts) {
    this.#session = session;
    this.#timeouts = timeouts;
    void session.ended.then(() => this.onEnd());
  }

  /** @throws when no session can be opened */
  static async open(address: Address, timeouts: SqlTimeouts = SQL_TIMEOUTS): Promise<RowLocks> {
    const session = await SqlSession.open(address, timeouts);
    try {
      await createSchema(session, DEFINITIONS);
      return new RowLocks(session, timeouts);
    } catch (error) {
      session[Symbol.dispose]();
      throw error;
    }
  }

  /** How its session ended; undefined while it is open. */
  get end(): SessionEnd | undefined {
    return this.#session.end;
  }

  /**
   * Begins a transaction and locks the key's row in it, waiting up to `waitMs` for each earlier holder. If that fails,
   * either the transaction is over or the session is.
   */
  async lock(key: string, { ttlMs, waitMs }: { ttlMs: number; waitMs: number }): Promise<Completion<RowLock>> {
    const locked = await this.#lockRow(key, { ttlMs, waitMs });
    if (locked.type !== "ok") return this.#giveUp(locked);
    // The server's time-out counts from its last reply, which comes after this moment.
    const lease = startLease(ttlMs, noDrift, () => performance.now());
    const minted = await this.#session.run(MINT);
    if (minted.type !== "ok") return this.#giveUp(minted);
    const validFromMs = performance.now();
    const validForMs = lease.remainingMs();
    if (validForMs <= 0) return this.#giveUp({ type: "fail", kind: "error", reason: "locked too late to be of use" });
    return { type: "ok", value: { fence: fenceFrom(minted.rows[0]?.["fence"]), validForMs, validFromMs } };
  }

  /** Tells the server to wait for `ttlMs` from now. Returns how long that can be trusted. */
  async extend(ttlMs: number): Promise<Completion<Omit<RowLock, "fence">>> {
    const lease = startLease(ttlMs, noDrift, () => performance.now());
    const outcome = await this.#session.run(`SET LOCAL idle_in_transaction_session_timeout = ${lease.ttlMs}`);
    if (outcome.type !== "ok") return outcome;
    const validFromMs = performance.now();
    const validForMs = lease.remainingMs();
    if (validForMs <= 0) return { type: "info", reason: "extended too late to be of use" };
    return { type: "ok", value: { validForMs, validFromMs } };
  }

  /** Ends the transaction, and with it the hold. */
  commit(): Promise<StatementOutcome> {
    return this.#session.run("COMMIT");
  }

  [Symbol.dispose](): void {
    this.#session[Symbol.dispose]();
  }

  /** Creates the row where there is none: the session may have been opened before the server lost it. */
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
    // A lock_timeout of 0 would mean to wait for ever.
    const nowait = waitMs === 0 ? " NOWAIT" : "";
    return this.#session.run(
      `SELECT key FROM lockstorm_locks WHERE key = $1 FOR UPDATE${nowait}`,
      [key],
      WAITS * waitMs + this.#timeouts.statementMs,
    );
  }

  /** The outcome of a try that was not granted, after its transaction is over. */
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
