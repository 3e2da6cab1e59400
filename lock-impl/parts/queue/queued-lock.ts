import type {
  AcquireOptions,
  Completion,
  Grant,
  LockClient,
  LockDriver,
  Queued,
} from "../../../harness/core/lock-driver.ts";
import type { Connection } from "../connection.ts";
import { freshOwnerValue } from "../owner-value.ts";
import { ownedKey } from "../protocol.ts";
import { connectServers, targetsOf } from "../servers.ts";
import { pause } from "../waiting.ts";
import type { QueueProtocol } from "./queue-protocol.ts";

/** A waiter asks again after this many milliseconds plus a random part of the jitter. */
const PAUSE_MS = 20;
const JITTER_MS = 20;

/** A driver of a lock with a queue on one server. */
export function queueLock(protocol: QueueProtocol): LockDriver {
  return {
    supports: { fair: true },
    async connect({ servers }) {
      const [server] = await connectServers(targetsOf(servers));
      if (server === undefined) throw new Error("a lock with a queue needs a server");
      return new QueuedLock(protocol, server);
    },
  };
}

type LostListener = (lost: { readonly key: string; readonly owner: string }) => void;

/**
 * One client of a lock with a queue. A waiter asks again and again, which keeps its place; one that gives up leaves the queue.
 * The lease counts from before the request that was granted.
 */
class QueuedLock implements LockClient {
  readonly #protocol: QueueProtocol;
  readonly #server: Connection;
  readonly #lost = new Set<LostListener>();
  readonly #queued = new Set<(queued: Queued) => void>();

  constructor(protocol: QueueProtocol, server: Connection) {
    this.#protocol = protocol;
    this.#server = server;
  }

  async acquire(key: string, { ttlMs, waitMs, signal }: AcquireOptions): Promise<Completion<Grant>> {
    const owner = freshOwnerValue();
    const deadlineMs = performance.now() + waitMs;
    for (;;) {
      const validFromMs = performance.now();
      const answer = await this.#protocol.ask(this.#server, { key, owner, ttlMs, waits: waitMs > 0 });
      if (answer.type === "info") return this.#withdraw(key, owner, answer.reason);
      const outcome = answer.type === "ok" ? answer.value : "refused";
      if (outcome === "granted") {
        if (performance.now() < validFromMs + ttlMs)
          return { type: "ok", value: { key, owner, validForMs: ttlMs, validFromMs } };
        return this.#withdraw(key, owner, "granted too late to be of use");
      }
      if (outcome === "queued") for (const listener of this.#queued) listener({ key });
      const leftMs = deadlineMs - performance.now();
      const goesOn = leftMs > 0 && !signal.aborted;
      if (goesOn && (await pause(Math.min(leftMs, PAUSE_MS + Math.random() * JITTER_MS), signal))) continue;
      // Whether or not it arrives: nobody asks in this place again, and it is not kept for long.
      if (waitMs > 0) await this.#protocol.leave(this.#server, { key, owner });
      return answer.type === "ok" ? { type: "fail", kind: "contended", reason: "held, or others wait" } : answer;
    }
  }

  async extend(grant: Grant, ttlMs: number): Promise<Completion<Grant>> {
    const { key, owner } = grant;
    const validFromMs = performance.now();
    const extended = await ownedKey.extend(this.#server, { key, owner, ttlMs, atLeast: false });
    if (extended.type !== "ok") return extended;
    if (!extended.value) {
      for (const listener of this.#lost) listener({ key, owner });
      return { type: "fail", kind: "error", reason: "the lease is lost: the lock is gone or another's" };
    }
    if (performance.now() >= validFromMs + ttlMs) return { type: "info", reason: "extended too late to be of use" };
    return { type: "ok", value: { ...grant, validForMs: ttlMs, validFromMs } };
  }

  async release({ key, owner }: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const left = await this.#protocol.leave(this.#server, { key, owner });
    return left.type === "ok" ? { type: "ok", value: { released: left.value } } : left;
  }

  onLost(listener: LostListener): void {
    this.#lost.add(listener);
  }

  onQueued(listener: (queued: Queued) => void): void {
    this.#queued.add(listener);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server[Symbol.asyncDispose]();
  }

  /** Undoes what a request may have done: only a lock that was found and deleted is certainly not left behind. */
  async #withdraw(key: string, owner: string, reason: string): Promise<Completion<never>> {
    const left = await this.#protocol.leave(this.#server, { key, owner });
    return left.type === "ok" && left.value ? { type: "fail", kind: "error", reason } : { type: "info", reason };
  }
}
