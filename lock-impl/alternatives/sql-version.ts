import type { FaultEffect } from "../../harness/core/fault-traits.ts";
import type { AcquireOptions, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";
import type { Property } from "../../harness/core/verdict.ts";
import { type Claim, DISK_LOSS, type Limit, type Persistence } from "../claims.ts";
import type { LockEntry } from "../lock-entry.ts";
import { type Lease, noDrift, startLease } from "../parts/lease.ts";
import { freshOwnerValue } from "../parts/owner-value.ts";
import { type TryOutcome, spin, type Waiter } from "../parts/waiting.ts";
import { CRASH, ENDS, SILENCE } from "./sql/faults-on-postgres.ts";
import { fenceFrom } from "./sql/fence.ts";
import { postgresAddress } from "./sql/postgres-address.ts";
import type { StatementOutcome } from "./sql/session.ts";
import type { StandingSession } from "./sql/standing-session.ts";

/**
 * One row per lock. The row is never deleted, so its version never starts again. `clock_timestamp()` is the server's
 * current time; `now()` would be the time at which the transaction began.
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
 * The compare-and-set. When two clients have read the same version, the second waits for the first, reads the row
 * again, and finds another version.
 */
const CLAIM = `UPDATE lockstorm_leases
  SET owner = $2, version = version + 1, expires_at = clock_timestamp() + $4 * interval '1 millisecond'
  WHERE key = $1 AND version = $3 AND expires_at < clock_timestamp()
  RETURNING version`;

/**
 * The row still has this owner and this version, and its lease has not ended: an ended lease is nobody's, even if
 * nobody has taken the lock since.
 */
const OWN = "key = $1 AND owner = $2 AND version = $3 AND expires_at >= clock_timestamp()";
const EXTEND = `UPDATE lockstorm_leases SET expires_at = clock_timestamp() + $4 * interval '1 millisecond'
  WHERE ${OWN} RETURNING version`;
const FREE = `UPDATE lockstorm_leases SET owner = NULL, expires_at = '-infinity' WHERE ${OWN} RETURNING version`;

/** The server sends no message when a lease ends, so a waiter polls. */
const waiting = spin({ pauseMs: 20, jitterMs: 20 });

const topology = "postgres";

/**
 * A lease in a row of a table, claimed by an optimistic compare-and-set on a version, which is the fencing token. The
 * lease ends by the database's clock; the client computes its validity by its monotonic clock, from before the request.
 */
export const sqlVersion: LockEntry = {
  name: "sql-version",
  title: "a lease in a row of an SQL table, taken by compare-and-set on its version, which is the fencing token",
  topologies: ["postgres"],
  npmPackage: "pg@8.23.1",
  flawed: false,
  mintsFence: true,
  renews: false,
  async load() {
    const { StandingSession } = await import("./sql/standing-session.ts");
    return {
      async connect({ servers }) {
        const session = await StandingSession.open(postgresAddress(servers), { definitions: [LEASES] });
        return new VersionLock(session, await waiting([]));
      },
    };
  },
  claims: versionClaims(),
  limits: versionLimits(),
  lesson: {
    shows: { property: "lease-exclusion", topology: "postgres", under: "clock-jump" },
    fixedBy: "sql-for-update",
    how: "The hold is a transaction, and a timer, not the wall clock, measures how long its client has sent nothing.",
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

  async #tryOnce(key: string, ttlMs: number): Promise<TryOutcome<Grant>> {
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

  /** Reads the row, and creates it where there is none. Nobody holds the lock by this, whether it succeeds or not. */
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

/** A grant that came too late to be of use may still be in force for a moment; it expires by itself. */
function granted(grant: Grant, lease: Lease): Completion<Grant> {
  const validFromMs = performance.now();
  const validForMs = lease.remainingMs();
  if (validForMs <= 0) return { type: "info", reason: "granted too late to be of use" };
  return { type: "ok", value: { ...grant, validForMs, validFromMs } };
}

/** A row of a table outlives every session and is as durable as the database. */
function versionClaims(): readonly Claim[] {
  /**
   * With asynchronous commit a crash loses the last acknowledged transactions; without any sync only a power loss does.
   */
  const keptInCrash: readonly Persistence[] = ["none", "always"];
  const calm = [...SILENCE, ...ENDS];
  const kept = "the row is unchanged when the server is back: committed changes are in its log";
  const lease = "the lease's clock starts before the request is sent, and one UPDATE compares and sets";
  const surviving = (property: Property, under: readonly FaultEffect[], because: string): readonly Claim[] => [
    { property, topology, under, because },
    { property, topology, under: [...under, ...CRASH], persistence: keptInCrash, because: kept },
    { property, topology, under: [...under, ...CRASH, "loses-unsynced"], persistence: ["always"], because: kept },
  ];
  return [
    ...surviving("lease-exclusion", calm, lease),
    ...surviving("linearizability", calm, lease),
    ...surviving(
      "fencing-tokens",
      [...calm, "steps-clock", "steps-client-clock"],
      "the version grows by one in the step that takes the lock, and rows are never deleted",
    ),
    ...surviving(
      "owner-release",
      [...calm, "steps-clock", "steps-client-clock"],
      "each release and extension compares owner and version in the same step",
    ),
    {
      property: "deadlock-freedom",
      topology,
      under: [...calm, ...CRASH, "loses-unsynced", "loses-disk"],
      because: "every lease has an end from the moment it exists",
    },
    // Only where versions are kept: a server that has forgotten some counts them again, and the resource refuses them.
    ...surviving(
      "stale-writes",
      [...calm, "steps-clock", "steps-client-clock"],
      "the resource itself rejects smaller fencing tokens, and equal ones of another owner",
    ),
  ];
}

function versionLimits(): readonly Limit[] {
  return [
    { property: "mutual-exclusion", topology, under: "none", cause: "overrun", source: "a hold longer than its lease" },
    {
      property: "mutual-exclusion",
      topology,
      under: "pause-client",
      cause: "overrun",
      source: "pause-past-lease; Kleppmann 2016",
    },
    {
      property: "lease-exclusion",
      topology,
      under: "clock-jump",
      cause: "clock-jump",
      source: "PostgreSQL documentation, 9.9.5: clock_timestamp() is the wall clock; clock-forward",
    },
    {
      property: "lease-exclusion",
      topology,
      under: "restart-node",
      cause: "lost-in-restart",
      source: "PostgreSQL documentation, 28.4 Asynchronous Commit: persistence everysec",
    },
    { property: "lease-exclusion", topology, under: DISK_LOSS, cause: "lost-in-restart", source: "crash-no-persist" },
    { property: "fencing-tokens", topology, under: DISK_LOSS, cause: "token-rollback", source: "crash-no-persist" },
  ];
}
