import type { ClientConfig } from "pg";
import type { Address } from "../../driver.ts";

/** How long a client waits for what. All in milliseconds. */
export interface SqlPatience {
  /** For the reply to one statement. After it the statement is indeterminate, and its session is given up. */
  readonly statementMs: number;
  /** For a session: a TCP connection, and a process of the server's own for it. */
  readonly connectMs: number;
  /** Between two attempts to connect. */
  readonly reconnectMs: number;
}

/** For leases of half a second and more. */
export const SQL_PATIENCE: SqlPatience = { statementMs: 500, connectMs: 1_000, reconnectMs: 20 };

/**
 * Every option of a session that decides whether a lock is safe, in one place.
 *
 * What is not here on purpose: `query_timeout`, after which `pg` goes on to use the session although the reply may still
 * come, and `statement_timeout`, which a statement that is held up on its way outruns. A client that gives up a statement
 * gives up its session.
 */
export function sessionOptions(address: Address, patience: SqlPatience): ClientConfig {
  return {
    ...address,
    user: "lockstorm",
    database: "postgres",
    ssl: false,
    application_name: "lockstorm-lock",
    connectionTimeoutMillis: patience.connectMs,
    // One statement at a time: the next is not sent before the reply to the last is there.
    pipeline: false,
    options: [
      // Each statement sees what was committed before it, and an UPDATE that has waited looks again. In the stricter levels
      // it would fail instead, which is safe too.
      "-c default_transaction_isolation=read\\ committed",
      "-c default_transaction_read_only=off",
      // Set for each hold, and for holds only; what the server has for everybody must not end one early.
      "-c idle_in_transaction_session_timeout=0",
      "-c idle_session_timeout=0",
      "-c transaction_timeout=0",
      "-c statement_timeout=0",
      "-c lock_timeout=0",
    ].join(" "),
  };
}
