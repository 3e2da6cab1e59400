import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import type { LockDriver } from "../../core/lock-driver.ts";

/**
 * A lock with two flaws, one a key. On `denied` a release leaves the key as it is and says that it found nothing. On any
 * other key the server ends the lease after a third of the TTL; on `gated`, the lock object also refuses by itself what it was granted.
 */
export const driver: LockDriver = {
  async connect({ servers }) {
    if (servers.kind !== "single") throw new Error("one server");
    const redis = new Redis({ ...servers.address, maxRetriesPerRequest: 0 });
    redis.on("error", () => {});
    const granted = new Set<string>();
    return {
      async acquire(key, { ttlMs }) {
        if (granted.has(key)) return { type: "fail", kind: "contended", reason: "this lock object holds it" };
        const owner = randomUUID();
        const leaseMs = key === "denied" ? ttlMs : Math.ceil(ttlMs / 3);
        const answer = await redis.set(key, owner, "PX", leaseMs, "NX");
        if (answer !== "OK") return { type: "fail", kind: "contended", reason: "another client holds the lock" };
        if (key === "gated") granted.add(key);
        return { type: "ok", value: { key, owner } };
      },
      async release({ key, owner }) {
        const isHeld = (await redis.get(key)) === owner && key !== "denied";
        if (isHeld) await redis.del(key);
        granted.delete(key);
        return { type: "ok", value: { released: isHeld } };
      },
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    };
  },
};
