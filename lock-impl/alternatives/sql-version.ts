import type { AcquireOptions, Completion, Grant, LockClient, LockDriver } from "../driver.ts";
import { type Lease, noDrift, startLease } from "../lease.ts";
import { freshOwnerValue } from "../owner-value.ts";
import { type Outcome, spin, type Waiter } from "../waiting.ts";
import { fenceFrom } from "./sql/fence.ts";
import { postgresAddress } from "./sql/postgres-address.ts";
import type { StatementOutcome } from "./sql/session.ts";
import { StandingSession } from "./sql/standing-session.ts";

/**
 * A row per lock. It is never deleted, so that its version never starts again. `clock_timestamp()` is the server's clock
 * now; `now()` would be when the transaction began.
 */
const LEASES = `CREATE TABLE IF NOT EXISTS lockstorm_leases (
  key text PRIMARY KEY,
  owner text,
  version bigint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL DEFAULT '-infinity'
)`;

const CREATE = "INSERT INTO lockstorm_leases (key) VALUES ($1) ON CONFLICT (key) DO NOTHING";
const READ = "SELECT version, expires_at < clock_timestamp() AS free FROM lockstorm_leases WHERE key = $1";

/**
 * The compare-and-set. Of two that have read the same version the second waits for the first, looks again at what is there
 * then, and finds another version.
 */
const CLAIM = `UPDATE lockstorm_leases
  SET owner = $2, version = version + 1, expires_at = clock_timestamp() + $4 * interval '1 millisecond'
  WHERE key = $1 AND version = $3 AND expires_at < clock_timestamp()
  RETURNING version`;

/** Its owner's, its version's, and not yet over: a lease that has ended is nobody's, even if nobody has come since. */
const OWN = "key = $1 AND owner = $2 AND version = $3 AND expires_at >= clock_timestamp()";
const EXTEND = `UPDATE lockstorm_leases SET expires_at = clock_timestamp() + $4 * interval '1 millisecond'
  WHERE ${OWN} RETURNING version`;
const FREE = `UPDATE lockstorm_leases SET owner = NULL, expires_at = '-infinity' WHERE ${OWN} RETURNING version`;

/** There is no message when a lease ends: whoever waits asks again. */
const waiting = spin({ pauseMs: 20, jitterMs: 20 });

/**
 * A lease in a row of a table, claimed by optimistic compare-and-set on a version, which is the fencing token. It ends by
 * the database's clock; what it is worth is counted by the client's monotonic clock from before the request.
 */
export const driver: LockDriver = {
  async connect({ servers }) {
    const session = await StandingSession.open(postgresAddress(servers), { definitions: [LEASES] });
    return new VersionLock(session, await waiting([]));
  },
};

class VersionLock implements LockClient {
  readonly #session: StandingSession;
  readonly #waiter: Waiter;

  constructor(session: StandingSession, waiter: Waiter) {
    this.#session = session;
    this.#waiter = waiter;
  }

  acquire(key: string, { ttlMs, waitMs, signal }: AcquireOptions): Promise<Completion<Grant>> {
    return this.#waiter.wait(key, { waitMs, signal }, () => this.#tryOnce(key, ttlMs));
  }

  async extend(grant: Grant, ttlMs: number): Promise<Completion<Grant>> {
    const lease = startLease(ttlMs, noDrift, () => performance.now());
    const outcome = await this.#session.run(EXTEND, [...identity(grant), lease.ttlMs]);
    if (outcome.type !== "ok") return outcome;
    if (outcome.rows.length === 0) return { type: "fail", kind: "error", reason: "the lease is over, or another's" };
    return granted(grant, lease);
  }

  async release(grant: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const outcome = await this.#session.run(FREE, identity(grant));
    return outcome.type === "ok" ? { type: "ok", value: { released: outcome.rows.length > 0 } } : outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
    await this.#waiter[Symbol.asyncDispose]();
  }

  async #tryOnce(key: string, ttlMs: number): Promise<Outcome<Grant>> {
    const read = await this.#read(key);
    if (read.type !== "ok") return { type: "fail", kind: "error", reason: read.reason };
    const [row] = read.rows;
    if (row?.["free"] !== true) return HELD;
    const owner = freshOwnerValue();
    const lease = startLease(ttlMs, noDrift, () => performance.now());
    const claim = await this.#session.run(CLAIM, [key, owner, String(row["version"]), lease.ttlMs]);
    if (claim.type !== "ok") return claim;
    const [claimed] = claim.rows;
    if (claimed === undefined) return HELD;
    return granted({ key, owner, fence: fenceFrom(claimed["version"]) }, lease);
  }

  /** The row, which is made where there is none. Whatever becomes of this, nobody holds the lock by it. */
  async #read(key: string): Promise<StatementOutcome> {
    const read = await this.#session.run(READ, [key]);
    if (read.type !== "ok" || read.rows.length > 0) return read;
    const created = await this.#session.run(CREATE, [key]);
    return created.type === "ok" ? this.#session.run(READ, [key]) : created;
  }
}

const HELD = { type: "fail", kind: "contended", reason: "held by another" } as const;

function identity({ key, owner, fence }: Grant): readonly (string | number)[] {
  if (fence === undefined) throw new Error(`${key} was not granted by this lock`);
  return [key, owner, fence];
}

/** A grant that came too late to be of use may be the holder's for a moment yet: it ends by itself. */
function granted(grant: Grant, lease: Lease): Completion<Grant> {
  const validFromMs = performance.now();
  const validForMs = lease.remainingMs();
  if (validForMs <= 0) return { type: "info", reason: "granted too late to be of use" };
  return { type: "ok", value: { ...grant, validForMs, validFromMs } };
}
