import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { Held } from "./held.ts";

/**
 * The lock of many tutorials: SET NX PX, and DEL when done. It deletes the lock even if another client holds it: a
 * holder whose lease ran out in the meantime frees the lock of the next.
 */
export class BrokenLock {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Undefined when another holds it. */
  async lock(key: string, ttlMs: number): Promise<Held | undefined> {
    const owner = randomUUID();
    return (await this.#redis.set(key, owner, "PX", ttlMs, "NX")) === "OK" ? { owner } : undefined;
  }

  /** Whether there was something to free. */
  async unlock(key: string): Promise<boolean> {
    return (await this.#redis.del(key)) === 1;
  }
}
