import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { auditEntry, LARGEST_FENCE, RESOURCE_STATE } from "../../core/audit-log.ts";
import type { AuditEntry, Evidence, ResourceHandle } from "../../core/system.ts";
import type { Address } from "../../core/lock-driver.ts";

const BETWEEN_TRIES_MS = 20;

/**
 * Follows the guarded resource's own log of writes. It uses blocking reads, so that a write is in the history as soon
 * as it was judged, and in that order.
 */
export class AuditReader implements ResourceHandle, AsyncDisposable {
  readonly #blocking: Redis;
  readonly #asking: Redis;
  readonly #stream: string;
  readonly #listeners: ((entry: AuditEntry) => void)[] = [];
  readonly #following: Promise<void>;
  #lastId = "0-0";
  #changed = Promise.withResolvers<void>();
  #closed = false;

  /** @param stream name of the log, see guarded-write.lua */
  constructor(address: Address, stream: string) {
    const options = {
      ...address,
      protocol: 2 as const,
      maxRetriesPerRequest: null,
      retryStrategy: () => BETWEEN_TRIES_MS,
    };
    this.#blocking = new Redis(options);
    this.#asking = new Redis(options);
    this.#stream = stream;
    for (const redis of [this.#blocking, this.#asking]) redis.on("error", () => {});
    this.#following = this.#follow();
    // `drain` reports it to its caller.
    this.#following.catch(() => {});
  }

  onAudit(listener: (entry: AuditEntry) => void): void {
    this.#listeners.push(listener);
  }

  /** @throws what a listener threw: from then on nothing is followed */
  async drain(): Promise<void> {
    const [newest] = await this.#asking.xrevrange(this.#stream, "+", "-", "COUNT", 1);
    if (newest === undefined) return;
    while (!this.#closed && compareIds(this.#lastId, newest[0]) < 0)
      await Promise.race([this.#changed.promise, this.#following]);
  }

  async forgetFences(): Promise<Evidence> {
    const keys = await this.#asking.keys(`${RESOURCE_STATE}*`);
    const removed = await Promise.all(keys.map((key) => this.#asking.hdel(key, ...LARGEST_FENCE)));
    const forgotten = removed.filter((fields) => fields > 0).length;
    return {
      observed: forgotten > 0,
      detail: `the resource forgot the largest fencing token of ${forgotten} value(s)`,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#blocking.disconnect();
    this.#asking.disconnect();
  }

  async #follow(): Promise<void> {
    while (!this.#closed) {
      let reply: [key: string, items: [id: string, fields: string[]][]][] | null;
      try {
        reply = await this.#blocking.xread("BLOCK", 1_000, "STREAMS", this.#stream, this.#lastId);
      } catch {
        // Closed, or the resource went away: the reconnected client reads again from its last position.
        await sleep(BETWEEN_TRIES_MS);
        continue;
      }
      for (const [, items] of reply ?? []) {
        for (const [id, fields] of items) {
          const entry = auditEntry(fields);
          for (const listener of this.#listeners) listener(entry);
          this.#lastId = id;
        }
      }
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
    this.#changed.resolve();
  }
}

function compareIds(one: string, other: string): number {
  const [a = 0, b = 0] = one.split("-").map(Number);
  const [c = 0, d = 0] = other.split("-").map(Number);
  return a === c ? b - d : a - c;
}
