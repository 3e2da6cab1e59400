import type { Redis, RedisOptions } from "ioredis";
import type { Servers } from "../../harness/core/lock-driver.ts";

/** ioredis wants the shape of replies fixed in the type. */
export type LibraryOptions = Omit<RedisOptions, "replyMapping">;

/** How long `connectLibraryClients` waits. */
const READY_WITHIN_MS = 10_000;

/**
 * Clients for a lock library as its users make them: with the defaults of ioredis, which send commands again after a
 * reconnect. Only what the network demands is changed, so a library is judged in the setup that people run.
 * @throws when a server cannot be reached within ten seconds
 */
export async function connectLibraryClients<Client extends Redis>(
  servers: Servers,
  make: (options: LibraryOptions) => Client,
): Promise<readonly Client[]> {
  const clients = optionsFor(servers).map((options) => make({ ...options, lazyConnect: true }));
  for (const client of clients) {
    // Connection errors reach the caller through the commands that they fail.
    client.on("error", () => {});
    client.connect().catch(() => {});
  }
  try {
    await Promise.all(clients.map((client) => ready(client)));
  } catch (error) {
    for (const client of clients) client.disconnect();
    throw error;
  }
  return clients;
}

function optionsFor(servers: Servers): readonly LibraryOptions[] {
  switch (servers.kind) {
    case "single":
      return [{ ...servers.address }];
    case "redlock":
      return servers.nodes.map((address) => ({ ...address }));
    case "sentinel":
      return [
        {
          sentinels: servers.sentinels.map((address) => ({ ...address })),
          name: servers.masterName,
          natMap: { ...servers.natMap },
          updateSentinels: false,
        },
      ];
    case "postgres":
    case "zookeeper":
      throw new Error(`this library needs Redis servers, not ${servers.kind}`);
  }
}

async function ready(client: Redis): Promise<void> {
  if (client.status === "ready") return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => reject(new Error(`no connection to Redis within ${READY_WITHIN_MS} ms`)),
    READY_WITHIN_MS,
  );
  client.once("ready", resolve);
  await promise.finally(() => clearTimeout(timer));
}
