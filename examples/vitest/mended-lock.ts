import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { Held } from "./held.ts";

const FREE_MINE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * The same lock, mended twice: it frees only what is its own, comparing and deleting in one step; and when the answer
 * came so late that the lease is over, it does not call that a lock.
 */
export class MendedLock {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Undefined when another holds it, or when it came too late. */
  async lock(key: string, ttlMs: number): Promise<Held | undefined> {
    const owner = randomUUID();
    const askedAt = performance.now();
    if ((await this.#redis.set(key, owner, "PX", ttlMs, "NX")) !== "OK") return undefined;
    const validForMs = ttlMs - (performance.now() - askedAt);
    if (validForMs > 0) return { owner, validForMs };
    await this.unlock(key, owner);
    return undefined;
  }

  /** Whether it was still ours. */
  async unlock(key: string, owner: string): Promise<boolean> {
    return (await this.#redis.eval(FREE_MINE, 1, key, owner)) === 1;
  }
}
