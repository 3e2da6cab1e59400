import { setTimeout as sleep } from "node:timers/promises";
import type { FaultEffect } from "../../harness/core/fault-traits.ts";
import type { AcquireOptions, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";
import { type Claim, DISK_LOSS, type Limit } from "../claims.ts";
import type { LockEntry } from "../lock-entry.ts";
import { freshOwnerValue } from "../parts/owner-value.ts";
import { ALL, CRASH, ENDS, SILENCE } from "./sql/faults-on-postgres.ts";
import { postgresAddress } from "./sql/postgres-address.ts";
import type { RowLocks } from "./sql/row-locks.ts";

const topology = "postgres";

type LostListener = (lost: { readonly key: string; readonly owner: string }) => void;

/**
 * A hold is a transaction that has locked a row and stays open. It lasts as long as its session, and the server ends a
 * session whose client is silent for the length of the lease. The server wakes the waiters.
 */
export const sqlForUpdate: LockEntry = {
  name: "sql-for-update",
  title: "SELECT ... FOR UPDATE in a transaction that stays open; the server ends it when its client sends nothing",
  topologies: ["postgres"],
  npmPackage: "pg@8.23.1",
  flawed: false,
  mintsFence: true,
  renews: false,
  async load() {
    const { RowLocks } = await import("./sql/row-locks.ts");
    return {
      async connect({ servers }) {
        const address = postgresAddress(servers);
        const open = (): Promise<RowLocks> => RowLocks.open(address);
        return new ForUpdateLock(open, await openWithin(open, CONNECT_WITHIN_MS));
      },
    };
  },
  claims: forUpdateClaims(),
  limits: forUpdateLimits(),
  lesson: {
    shows: { property: "mutual-exclusion", topology: "postgres", under: "pause-client" },
    how: "A client that does not run cannot be notified. The resource can reject its late write: the fencing token comes from a sequence, which no rollback resets.",
  },
};

/** How long `connect` tries, and how long it waits after each attempt. */
const CONNECT_WITHIN_MS = 10_000;
const RECONNECT_MS = 20;

class ForUpdateLock implements LockClient {
  readonly #open: () => Promise<RowLocks>;
  /** Sessions with a hold, by owner value. */
  readonly #holds = new Map<string, RowLocks>();
  readonly #lostListeners = new Set<LostListener>();
  /** A session without a hold, for the next one. */
  #spare: RowLocks | undefined;

  constructor(open: () => Promise<RowLocks>, spare: RowLocks) {
    this.#open = open;
    this.#spare = spare;
  }

  async acquire(key: string, { ttlMs, waitMs, signal }: AcquireOptions): Promise<Completion<Grant>> {
    const session = await this.#takeSession();
    if (session === undefined) return { type: "fail", kind: "error", reason: "there is no session, nothing was sent" };
    const abort = (): void => session[Symbol.dispose]();
    signal.addEventListener("abort", abort);
    const locked = await session.lock(key, { ttlMs, waitMs });
    signal.removeEventListener("abort", abort);
    if (locked.type !== "ok") {
      this.#putBack(session);
      return locked;
    }
    if (session.end !== undefined) return { type: "info", reason: `its session was ended ${session.end}` };
    const owner = freshOwnerValue();
    this.#holds.set(owner, session);
    session.onEnd = () => this.#lost(key, owner);
    return { type: "ok", value: { key, owner, ...locked.value } };
  }

  async extend(grant: Grant, ttlMs: number): Promise<Completion<Grant>> {
    const session = this.#holds.get(grant.owner);
    if (session === undefined) return { type: "fail", kind: "error", reason: "it was released" };
    const extended = await session.extend(ttlMs);
    return extended.type === "ok" ? { type: "ok", value: { ...grant, ...extended.value } } : extended;
  }

  /**
   * A hold whose session the server ended is over. If the connection broke, the server may keep the hold until it
   * notices, or until the client has been silent for the length of the lease: nobody knows when it ended.
   */
  async release({ owner }: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const session = this.#holds.get(owner);
    this.#holds.delete(owner);
    if (session === undefined || session.end === "by the server") return { type: "ok", value: { released: false } };
    if (session.end !== undefined) return { type: "info", reason: `its session was ended ${session.end}` };
    const committed = await session.commit();
    if (committed.type === "ok") {
      this.#putBack(session);
      return { type: "ok", value: { released: true } };
    }
    session[Symbol.dispose]();
    return { type: "info", reason: committed.reason };
  }

  onLost(listener: LostListener): void {
    this.#lostListeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [...this.#holds.values(), ...(this.#spare === undefined ? [] : [this.#spare])];
    this.#holds.clear();
    for (const session of sessions) session[Symbol.dispose]();
  }

  async #takeSession(): Promise<RowLocks | undefined> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined && spare.end === undefined) return spare;
    return this.#open().catch(() => undefined);
  }

  #putBack(session: RowLocks): void {
    session.onEnd = () => {};
    if (session.end !== undefined) return;
    if (this.#spare !== undefined && this.#spare.end === undefined) session[Symbol.dispose]();
    else this.#spare = session;
  }

  /** The session of a hold has ended without a release. */
  #lost(key: string, owner: string): void {
    if (!this.#holds.has(owner)) return;
    for (const listener of this.#lostListeners) listener({ key, owner });
  }
}

async function openWithin(open: () => Promise<RowLocks>, withinMs: number): Promise<RowLocks> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await sleep(RECONNECT_MS);
    }
  }
}

/**
 * A hold lives and dies with its session. Where a session can end without its client noticing, or at the same moment as
 * for its client, nothing is promised: the next client may be granted the lock before the holder is told.
 */
function forUpdateClaims(): readonly Claim[] {
  const calm: readonly FaultEffect[] = [...SILENCE, "steps-clock", "steps-client-clock"];
  const silent =
    "the server ends a session that sends nothing for the length of the lease, counted from the server's last reply by a timer that no clock jump moves; the holder counts from before its last request";
  return [
    { property: "lease-exclusion", topology, under: calm, because: silent },
    {
      property: "lease-exclusion",
      topology,
      under: CRASH,
      because: "no hold outlives the server; a running holder sees the connection break before the server is back",
    },
    { property: "linearizability", topology, under: SILENCE, because: silent },
    {
      property: "fencing-tokens",
      topology,
      under: [...SILENCE, ...ENDS, ...CRASH, "loses-unsynced", "steps-clock", "steps-client-clock"],
      because: "issued by nextval when the row is locked; no rollback undoes it, and it is on disk before it is used",
    },
    {
      property: "owner-release",
      topology,
      under: ALL,
      because: "a COMMIT ends only the session's own transaction",
    },
    {
      property: "deadlock-freedom",
      topology,
      under: [...SILENCE, ...ENDS, ...CRASH, "loses-unsynced", "loses-disk"],
      because:
        "a session ends with its connection, with its server, or after it sent nothing for the length of the lease",
    },
    {
      property: "stale-writes",
      topology,
      // Without its disk the server counts from zero again, and the resource refuses rightful holders too.
      under: ALL.filter((effect) => effect !== "loses-disk"),
      because: "the resource itself rejects smaller fencing tokens, and equal ones of another owner",
    },
  ];
}

function forUpdateLimits(): readonly Limit[] {
  return [
    {
      property: "mutual-exclusion",
      topology,
      under: "pause-client",
      cause: "overrun",
      source: "pause-past-lease; Kleppmann 2016",
    },
    {
      property: "mutual-exclusion",
      topology,
      under: "partition",
      cause: "overrun",
      source: "PostgreSQL documentation, 19.11.1: the server tells who is no longer reached",
    },
    { property: "fencing-tokens", topology, under: DISK_LOSS, cause: "token-rollback", source: "crash-no-persist" },
  ];
}
