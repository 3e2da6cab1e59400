import { composeLock } from "../compose.ts";
import { Connection } from "../connection.ts";
import type { LockClient, LockDriver } from "../driver.ts";
import { map, ownedKey, type Protocol, type Taking } from "../protocol.ts";

/** Asks a replica whether the lock is free, to spare the master, and then sets it: replicas lag. */
export const driver: LockDriver = {
  async connect(environment): Promise<LockClient> {
    const { servers } = environment;
    if (servers.kind !== "sentinel") throw new Error("this lock needs a replica, so Sentinels");
    const replica = new Connection({ ...servers, replica: true });
    const client = await composeLock({ protocol: askingReplica(replica) }).connect(environment);
    await replica.whenReady(10_000);
    return {
      acquire: (key, options) => client.acquire(key, options),
      release: (grant) => client.release(grant),
      async [Symbol.asyncDispose]() {
        await Promise.all([client[Symbol.asyncDispose](), replica[Symbol.asyncDispose]()]);
      },
    };
  },
};

function askingReplica(replica: Connection): Protocol {
  return {
    ...ownedKey,
    async take(master, { key, owner, ttlMs }) {
      const held = await replica.command("GET", key);
      if (held.type !== "ok" || held.value !== null) return map(held, (): Taking => ({ taken: false }));
      return map(await master.command("SET", key, owner, "PX", ttlMs), (reply) => ({ taken: reply === "OK" }));
    },
  };
}
