import { Connection } from "./connection.ts";
import { TIMEOUTS, type Timeouts, type Target } from "./connection-options.ts";
import type { Address, Servers } from "../../harness/core/lock-driver.ts";
import { majority } from "./quorum.ts";

/** How long `connectServers` waits: for all servers, and then for a majority of them. */
const ALL_WITHIN_MS = 2_000;
const MAJORITY_WITHIN_MS = 8_000;

/** Where a lock can live: the servers that a driver is given, or a Redis Cluster. */
export type LockServers = Servers | { readonly kind: "cluster"; readonly nodes: readonly Address[] };

/**
 * The targets of the connections that a lock on these servers needs: one, or one for each master of Redlock.
 * @throws when they are not Redis servers
 */
export function targetsOf(servers: LockServers): readonly Target[] {
  switch (servers.kind) {
    case "single":
      return [{ kind: "address", address: servers.address }];
    case "sentinel":
    case "cluster":
      return [servers];
    case "redlock":
      return servers.nodes.map((address) => ({ kind: "address", address }));
    case "postgres":
    case "zookeeper":
      throw new Error(`this lock needs Redis servers, not ${servers.kind}`);
  }
}

/**
 * Connects to each server of a lock and resolves when the lock is usable: all are connected, or, after two seconds, a
 * majority of them. The others connect when they can.
 * @throws when too few can be reached within ten seconds
 */
export async function connectServers(
  targets: readonly Target[],
  timeouts: Timeouts = TIMEOUTS,
): Promise<readonly Connection[]> {
  const connections = targets.map((target) => new Connection(target, timeouts));
  const connected = await Promise.allSettled(connections.map((connection) => connection.whenReady(ALL_WITHIN_MS)));
  const needed = majority(connections.length);
  if (connected.filter(({ status }) => status === "fulfilled").length >= needed) return connections;
  try {
    await reaches(connections, needed, MAJORITY_WITHIN_MS);
    return connections;
  } catch (error) {
    await Promise.all(connections.map((connection) => connection[Symbol.asyncDispose]()));
    throw error;
  }
}

/**
 * Resolves when `needed` connections are ready.
 * @throws the error of the first connection that is not
 */
async function reaches(connections: readonly Connection[], needed: number, withinMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let ready = 0;
  let failed = 0;
  for (const connection of connections) {
    connection.whenReady(withinMs).then(
      () => {
        ready += 1;
        if (ready === needed) resolve();
      },
      (error: unknown) => {
        failed += 1;
        if (failed > connections.length - needed) reject(error);
      },
    );
  }
  await promise;
}
