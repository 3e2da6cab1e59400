import type { ClientConfig } from "pg";
import type { Address } from "../../../harness/core/lock-driver.ts";

/** How long a client waits, in milliseconds. */
export interface SqlTimeouts {
  /** For the reply to one statement. After that the statement is indeterminate, and its session is given up. */
  readonly statementMs: number;
  /** For a session: a TCP connection, and a server process for it. */
  readonly connectMs: number;
  /** Between two attempts to connect. */
  readonly reconnectMs: number;
}

/** For leases of 500 ms and more. */
export const SQL_TIMEOUTS: SqlTimeouts = { statementMs: 500, connectMs: 1_000, reconnectMs: 20 };

/**
 * Every session option that decides whether a lock is safe, in one place.
 *
 * Two options are left out on purpose: after `query_timeout`, `pg` goes on to use the session although the reply may
 * still come; a statement that is delayed on its way outlasts `statement_timeout`. A client that gives up a statement
 * gives up its session.
 */
export function sessionOptions(address: Address, timeouts: SqlTimeouts): ClientConfig {
  return {
    ...address,
    user: "lockstorm",
    database: "postgres",
    ssl: false,
    application_name: "lockstorm-lock",
    connectionTimeoutMillis: timeouts.connectMs,
    // One statement at a time: the next is not sent before the last one is answered.
    pipeline: false,
    options: [
      // Each statement sees what was committed before it, and an UPDATE that has waited reads the row again. In the
      // stricter isolation levels it would fail instead, which is safe too.
      "-c default_transaction_isolation=read\\ committed",
      "-c default_transaction_read_only=off",
      // Set for each hold, and only for holds; the server-wide setting must not end a session early.
      "-c idle_in_transaction_session_timeout=0",
      "-c idle_session_timeout=0",
      "-c transaction_timeout=0",
      "-c statement_timeout=0",
      "-c lock_timeout=0",
    ].join(" "),
  };
}
