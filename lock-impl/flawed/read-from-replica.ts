import { leaseBehindSentinel, specimen } from "./specimen.ts";
import type { Connection } from "../parts/connection.ts";
import type { LockClient, LockDriver } from "../../harness/core/lock-driver.ts";
import { map, ownedKey, type Protocol, type AcquireAnswer } from "../parts/protocol.ts";

async function load(): Promise<LockDriver> {
  const [{ composeLock }, { Connection }] = await Promise.all([
    import("../parts/compose.ts"),
    import("../parts/connection.ts"),
  ]);
  return {
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
}

function askingReplica(replica: Connection): Protocol {
  return {
    ...ownedKey,
    async acquire(master, { key, owner, ttlMs }) {
      const held = await replica.command("GET", key);
      if (held.type !== "ok" || held.value !== null) return map(held, (): AcquireAnswer => ({ granted: false }));
      return map(await master.command("SET", key, owner, "PX", ttlMs), (reply) => ({ granted: reply === "OK" }));
    },
  };
}

/** Asks a replica whether the lock is free, to take load off the master, and then sets it: replicas lag. */
export const readFromReplica = specimen(leaseBehindSentinel, {
  name: "read-from-replica",
  flaw: "asks a replica whether the lock is free, then sets it: replicas lag",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "read-from-replica" },
  load,
});
