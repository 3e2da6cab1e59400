import "../platform/install.ts";
import { createConnection, type Socket } from "node:net";
import { expect, test } from "vitest";
import type { LockDriver } from "../../core/lock-driver.ts";
import { planSchema } from "../../core/plan.ts";
import { simulate } from "./simulate.ts";

const plan = planSchema.parse({
  format: "lockstorm-plan",
  version: 1,
  seed: 1,
  lock: "test",
  topology: { kind: "single" },
  clients: [{ sections: [] }],
  faults: [],
});

/** A driver that opens a socket to each address, and answers `info` to every acquire, or does not come so far. */
function connectingTo(
  addresses: readonly [host: string, port: number][],
  settle = async (): Promise<void> => {},
): LockDriver {
  return {
    async connect() {
      const sockets: Socket[] = addresses.map(([host, port]) => createConnection(port, host).on("error", () => {}));
      await settle();
      return {
        acquire: () => Promise.resolve({ type: "info", reason: "nobody answered" }),
        release: () => Promise.resolve({ type: "info", reason: "nobody answered" }),
        [Symbol.asyncDispose]: async () => sockets.forEach((socket) => socket.destroy()),
      };
    },
  };
}

async function acquireOn(driver: LockDriver): Promise<unknown> {
  const { value } = await simulate({ plan, driver }, async ({ clients, clock }) => {
    await clock.sleep(1000);
    return clients[0]?.perform({ op: "acquire", key: "k", ttlMs: 1000, waitMs: 0 });
  });
  return value;
}

test.each([
  [[["127.0.0.1", 6379]], "an address that is not in `servers`: 127.0.0.1:6379"],
  [[["localhost", 6380]], "an address that is not in `servers`: 127.0.0.1:6380"],
  [[["redis", 6379]], "an address that is not in `servers`: redis:6379"],
  [[["192.0.2.7", 6379]], "an address that is not in `servers`: 192.0.2.7:6379"],
  [
    [1, 2, 3, 4, 5].map((port) => ["127.0.0.1", port]),
    "addresses that are not in `servers`: 127.0.0.1:1, 127.0.0.1:2, 127.0.0.1:3 and 2 more",
  ],
] as const)("an operation that fails says that its client tried %j", async (addresses, words) => {
  await expect(acquireOn(connectingTo(addresses as unknown as [string, number][]))).resolves.toMatchObject({
    kind: "indeterminate",
    reason: `nobody answered; it tried to connect to ${words}`,
  });
});

test("a server that is down is one of the servers all the same", async () => {
  const driver: LockDriver = {
    async connect({ servers }) {
      if (servers.kind !== "single") throw new Error("one server is expected");
      const { host, port } = servers.address;
      return {
        acquire: async () => {
          const { promise, resolve } = Promise.withResolvers<string>();
          createConnection(port, host).on("error", ({ message }) => resolve(message));
          return { type: "info", reason: await promise };
        },
        release: () => Promise.resolve({ type: "info", reason: "nobody answered" }),
        [Symbol.asyncDispose]: async () => {},
      };
    },
  };
  const { value } = await simulate({ plan, driver }, async ({ clients, nodes }) => {
    await nodes[0]?.kill();
    return clients[0]?.perform({ op: "acquire", key: "k", ttlMs: 1000, waitMs: 0 });
  });
  expect(value).toMatchObject({ reason: expect.stringMatching(/^connect ECONNREFUSED [\d.]+:6379$/) });
});

test("a client that never connects, or fails to, says so too", async () => {
  const where = "it tried to connect to an address that is not in `servers`: 127.0.0.1:6379";
  const never = connectingTo([["127.0.0.1", 6379]], () => new Promise(() => {}));
  await expect(acquireOn(never)).rejects.toThrow(`the lock of client-0 never connects; ${where}`);
  const failing = connectingTo([["127.0.0.1", 6379]], () => Promise.reject(new Error("no server")));
  await expect(acquireOn(failing)).rejects.toThrow(`the lock of client-0 could not connect: no server; ${where}`);
});

test("an operation that fails says that its client has not even tried to connect", async () => {
  await expect(acquireOn(connectingTo([]))).resolves.toMatchObject({
    reason: "nobody answered; its driver has not tried to connect to a server so far",
  });
});
