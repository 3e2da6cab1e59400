import { afterEach, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { TIMEOUTS } from "./connection-options.ts";
import { ownedKey } from "./protocol.ts";
import { withReplicas } from "./replication.ts";
import { type Behaviour, ScriptedServer } from "../testing/scripted-server.ts";

const timeouts = { ...TIMEOUTS, commandMs: 500, silenceMs: 1_000 };
const request = { key: "k", owner: "me", ttlMs: 2_000, inner: false };
const lock = withReplicas(ownedKey, { replicas: 1, withinMs: 20 });

let disposables = new AsyncDisposableStack();
afterEach(async () => {
  await disposables.disposeAsync();
  disposables = new AsyncDisposableStack();
});

async function serverThat(answers: Readonly<Record<string, Behaviour>>) {
  const behave = ([name = ""]: readonly string[]): Behaviour => answers[name] ?? { reply: ":1\r\n" };
  const server = disposables.use(await ScriptedServer.listen(behave));
  const connection = disposables.use(new Connection({ kind: "address", address: server.address }, timeouts));
  await connection.whenReady(2_000);
  return {
    connection,
    names: () => server.received.map(([name]) => name),
    breakConnections: () => server.breakConnections(),
  };
}

const SET: Behaviour = { reply: "+OK\r\n" };

it("counts when enough replicas acknowledge it", async () => {
  const { connection, names } = await serverThat({ SET });
  expect(await lock.acquire(connection, request)).toEqual({ type: "ok", value: { granted: true } });
  expect(names()).toEqual(["SET", "WAIT"]);
});

it("is taken back when too few do", async () => {
  const { connection, names } = await serverThat({ SET, WAIT: { reply: ":0\r\n" } });
  expect(await lock.acquire(connection, request)).toMatchObject({
    type: "fail",
    reason: expect.stringContaining("0 of 1"),
  });
  expect(names()).toEqual(["SET", "WAIT", "EVALSHA"]);
});

it("is indeterminate when it cannot be taken back", async () => {
  const { connection } = await serverThat({ SET, WAIT: { reply: ":0\r\n" }, EVALSHA: "break" });
  expect(await lock.acquire(connection, request)).toMatchObject({ type: "info" });
});

it("does not ask for replicas when another holds", async () => {
  const { connection, names } = await serverThat({ SET: { reply: "$-1\r\n" } });
  expect(await lock.acquire(connection, request)).toEqual({ type: "ok", value: { granted: false } });
  expect(names()).toEqual(["SET"]);
});

it("does not believe WAIT on another connection than the write's", async () => {
  const { connection, names, breakConnections } = await serverThat({ SET });
  const remadeInBetween = withReplicas(
    {
      ...ownedKey,
      acquire: async (server, wanted) => {
        const answer = await ownedKey.acquire(server, wanted);
        const { session } = server;
        breakConnections();
        await expect.poll(() => server.session, { timeout: 2_000, interval: 5 }).toBe(session + 1);
        return answer;
      },
    },
    { replicas: 1, withinMs: 20 },
  );
  expect(await remadeInBetween.acquire(connection, request)).toMatchObject({ type: "fail" });
  expect(names()).toEqual(["SET", "EVALSHA"]);
});

it("an extension that too few acknowledge leaves the holder its old lease", async () => {
  const { connection } = await serverThat({ WAIT: { reply: ":0\r\n" } });
  expect(await lock.extend(connection, { ...request, atLeast: false })).toMatchObject({ type: "info" });
});
