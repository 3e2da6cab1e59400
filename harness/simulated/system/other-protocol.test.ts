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

/** A driver whose lock writes that to the server. */
function writing(text: string): LockDriver {
  return {
    async connect({ servers }) {
      if (servers.kind !== "single") throw new Error("one server, please");
      const socket: Socket = createConnection(servers.address.port, servers.address.host).on("error", () => {});
      return {
        acquire: async () => {
          socket.write(text);
          await new Promise((resolve) => setTimeout(resolve, 100));
          return { type: "info", reason: "nobody answered" };
        },
        release: () => Promise.resolve({ type: "info", reason: "nobody answered" }),
        [Symbol.asyncDispose]: async () => void socket.destroy(),
      };
    },
  };
}

async function acquireOn(driver: LockDriver): Promise<unknown> {
  const { value } = await simulate({ plan, driver }, async ({ clients }) =>
    clients[0]?.perform({ op: "acquire", key: "k", ttlMs: 1000, waitMs: 0 }),
  );
  return value;
}

test.each([
  ['{"type":"lock","key":"k"}\n', "unbalanced quotes in request"],
  ["*1\r\n+PING\r\n", "expected '$', got '+'"],
])("ends the run, and says that this is not Redis's protocol, when a lock's client sends %j", async (text, what) => {
  await expect(acquireOn(writing(text))).rejects.toMatchObject({
    name: "UserError",
    message: `the lock's client does not speak the protocol of Redis (RESP) to node-0: ${what}`,
  });
});

test("a request on one line is one", async () => {
  await expect(acquireOn(writing("PING\r\n"))).resolves.toMatchObject({ reason: "nobody answered" });
});
