import { describe, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { TIMEOUTS } from "./connection-options.ts";
import { scriptOf } from "./scripts.ts";
import { type Behaviour, ScriptedServer } from "../testing/scripted-server.ts";

const ok: Behaviour = { reply: "+OK\r\n" };
const timeouts = { ...TIMEOUTS, commandMs: 300, silenceMs: 450 };

async function connected(behave: (command: readonly string[]) => Behaviour) {
  const server = await ScriptedServer.listen(behave);
  const connection = new Connection({ kind: "address", address: server.address }, timeouts);
  await connection.whenReady(2_000);
  return {
    server,
    connection,
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("Connection", () => {
  it("gives the reply", async () => {
    await using at = await connected(() => ok);
    expect(await at.connection.command("SET", "k", "v")).toEqual({ type: "ok", value: "OK" });
  });

  it("takes an error reply as proof that nothing was done", async () => {
    await using at = await connected(() => ({ reply: "-NOREPLICAS Not enough good replicas to write.\r\n" }));
    const completion = await at.connection.command("SET", "k", "v");
    expect(completion).toMatchObject({ type: "fail", kind: "error", reason: expect.stringContaining("NOREPLICAS") });
  });

  it("is indeterminate after a time-out, and does not send again when it has reconnected", async () => {
    await using at = await connected(() => "silence");
    expect(await at.connection.command("SET", "k", "v")).toMatchObject({ type: "info" });
    at.server.behave = () => ok;
    at.server.breakConnections();
    await reconnected(at.connection);
    expect(at.server.received.filter(([name]) => name === "SET")).toHaveLength(1);
  });

  it("is indeterminate when the connection breaks after the command was sent", async () => {
    await using at = await connected(() => "break");
    expect(await at.connection.command("SET", "k", "v")).toMatchObject({ type: "info" });
    expect(at.server.received).toEqual([["SET", "k", "v"]]);
  });

  it("fails at once, without sending, while there is no connection", async () => {
    await using server = await ScriptedServer.listen(() => ok);
    await using connection = new Connection({ kind: "address", address: server.address }, timeouts);
    expect(await connection.command("SET", "k", "v")).toMatchObject({ type: "fail", kind: "error" });
    await connection.whenReady(2_000);
    expect(server.received).toEqual([]);
  });

  it("gives up a connection that stays silent, and makes a new one", async () => {
    await using at = await connected(() => "silence");
    await at.connection.command("SET", "k", "v");
    at.server.behave = () => ok;
    await reconnected(at.connection);
  });

  it("reconnects after READONLY, and does not send again", async () => {
    await using at = await connected(() => ({ reply: "-READONLY You can't write against a read only replica.\r\n" }));
    expect(await at.connection.command("SET", "k", "v")).toMatchObject({ type: "fail", kind: "error" });
    at.server.behave = () => ok;
    expect(await at.connection.command("GET", "k")).toMatchObject({ type: "fail", kind: "error" });
    await reconnected(at.connection);
    expect(at.server.received.filter(([name]) => name === "SET")).toHaveLength(1);
  });

  it("comes back when ioredis has ended for good", async () => {
    await using at = await connected(() => "break");
    // ioredis does not reconnect after QUIT, as it does not after some crossings of closing and connecting.
    await at.connection.command("QUIT");
    at.server.behave = () => ok;
    await reconnected(at.connection);
  });

  it("sends a script's text only when the server does not know its hash", async () => {
    await using at = await connected(([name]) => ({
      reply: name === "EVALSHA" ? "-NOSCRIPT No matching script.\r\n" : ":1\r\n",
    }));
    const script = scriptOf("return 1");
    expect(await at.connection.run(script, ["k"], "v")).toEqual({ type: "ok", value: 1 });
    at.server.behave = () => ({ reply: ":1\r\n" });
    await at.connection.run(script, ["k"], "v");
    expect(at.server.received.map(([name]) => name)).toEqual(["EVALSHA", "EVAL", "EVALSHA"]);
  });

  it("says that there is no connection when there is none in time", async () => {
    await using server = await ScriptedServer.listen(() => "silence");
    const { address } = server;
    await server[Symbol.asyncDispose]();
    await using connection = new Connection({ kind: "address", address }, timeouts);
    await expect(connection.whenReady(80)).rejects.toThrow(/no connection/);
  });
});

/** Resolves at the first command that is answered. */
async function reconnected(connection: Connection): Promise<void> {
  await expect.poll(async () => (await connection.command("PING")).type, { timeout: 3_000, interval: 5 }).toBe("ok");
}
