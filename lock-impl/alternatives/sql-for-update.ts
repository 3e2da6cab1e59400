import { setTimeout as sleep } from "node:timers/promises";
import type { AcquireOptions, Address, Completion, Grant, LockClient, LockDriver } from "../driver.ts";
import { freshOwnerValue } from "../owner-value.ts";
import { postgresAddress } from "./sql/postgres-address.ts";
import { RowLocks } from "./sql/row-locks.ts";

type LostListener = (lost: { readonly key: string; readonly owner: string }) => void;

/**
 * A hold is a transaction that has locked a row and stays open. It lasts as long as its session, and the server ends a
 * session whose client is silent for the lease. Whoever waits is woken by the server.
 */
export const driver: LockDriver = {
  async connect({ servers }) {
    const address = postgresAddress(servers);
    return new ForUpdateLock(address, await openWithin(address, CONNECT_WITHIN_MS));
  },
};

/** How long `connect` tries, and how long it waits after each time. */
const CONNECT_WITHIN_MS = 10_000;
const RECONNECT_MS = 20;

class ForUpdateLock implements LockClient {
  readonly #address: Address;
  /** Sessions that hold, by owner value. */
  readonly #holds = new Map<string, RowLocks>();
  readonly #lostListeners = new Set<LostListener>();
  /** A session that holds nothing: the next hold's. */
  #spare: RowLocks | undefined;

  constructor(address: Address, spare: RowLocks) {
    this.#address = address;
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
    const prolonged = await session.prolong(ttlMs);
    return prolonged.type === "ok" ? { type: "ok", value: { ...grant, ...prolonged.value } } : prolonged;
  }

  /**
   * A hold whose session the server has ended was over before. One whose connection broke may be the server's still, until
   * it sees that or has waited for the lease: nobody knows when it ended.
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
    return RowLocks.open(this.#address).catch(() => undefined);
  }

  #putBack(session: RowLocks): void {
    session.onEnd = () => {};
    if (session.end !== undefined) return;
    if (this.#spare !== undefined && this.#spare.end === undefined) session[Symbol.dispose]();
    else this.#spare = session;
  }

  /** The session of a hold has ended, and not by a release. */
  #lost(key: string, owner: string): void {
    if (!this.#holds.has(owner)) return;
    for (const listener of this.#lostListeners) listener({ key, owner });
  }
}

async function openWithin(address: Address, withinMs: number): Promise<RowLocks> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    try {
      return await RowLocks.open(address);
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await sleep(RECONNECT_MS);
    }
  }
}
