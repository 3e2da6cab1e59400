import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ScriptedServer, type Behaviour } from "../../lock-impl/testing/scripted-server.ts";
import { GuardedResource } from "./guarded-resource.ts";
import { testGuardedResource } from "./testing/guarded-resource-suite.ts";
import { hasLocalRedis, LocalRedis } from "./testing/local-redis.ts";

// If it is missing, guarded-resource.containers.test.ts tests the same on the server that runs use.
describe.skipIf(!hasLocalRedis())("the guarded resource on this machine's Redis", () => {
  testGuardedResource(() => LocalRedis.start());
});

describe("a connection that fails", () => {
  let server: ScriptedServer;
  let resource: GuardedResource;
  let onWrite: Behaviour;
  const request = { op: "write", key: "k1", owner: "a", fence: 1, data: "x" } as const;

  beforeEach(async () => {
    onWrite = { reply: "*3\r\n:1\r\n:1\r\n$1\r\n1\r\n" };
    server = await ScriptedServer.listen(([command]) =>
      ["evalsha", "eval", "hget"].includes(command?.toLowerCase() ?? "") ? onWrite : { reply: "+OK\r\n" },
    );
    resource = await GuardedResource.connect(server.address, {
      checks: { fencing: true, versions: false },
      timeoutMs: 150,
    });
  });

  afterEach(async () => {
    await resource[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** The keys of all writes that reached the server, in order. */
  const keysWritten = (): readonly (string | undefined)[] =>
    server.received.filter(([command]) => /^eval(sha)?$/i.test(command ?? "")).map((words) => words[5]);

  test("with an answer that does not come leaves a write indeterminate, and sends it once", async () => {
    onWrite = "silence";
    expect(await resource.write(request)).toMatchObject({ ok: false, kind: "indeterminate" });
    expect(keysWritten()).toEqual(["k1"]);
  });

  test("that breaks before the answer leaves a write indeterminate, and sends it once", async () => {
    onWrite = "break";
    expect(await resource.write(request)).toMatchObject({ ok: false, kind: "indeterminate" });
    onWrite = { reply: "*3\r\n:1\r\n:2\r\n$1\r\n1\r\n" };
    await reconnected();
    expect(keysWritten()).toEqual(["k1", "k2"]);
  });

  test("that brings an error of the resource's own leaves a write an error: it was not applied", async () => {
    onWrite = { reply: "-OOM command not allowed when used memory > 'maxmemory'.\r\n" };
    expect(await resource.write(request)).toMatchObject({
      ok: false,
      kind: "error",
      reason: expect.stringMatching(/^OOM/) as string,
    });
  });

  test("leaves a read an error: it changed nothing", async () => {
    onWrite = "break";
    expect(await resource.read("k1")).toMatchObject({ ok: false, kind: "error" });
  });

  test("that is not there sends nothing, so that a write certainly did nothing", async () => {
    await server[Symbol.asyncDispose]();
    await lost();
    expect(await resource.write(request)).toMatchObject({ ok: false, kind: "error" });
    expect(keysWritten()).toEqual([]);
  });

  test("at the start makes connecting fail", async () => {
    const { address } = server;
    await server[Symbol.asyncDispose]();
    await expect(
      GuardedResource.connect(address, { checks: { fencing: true, versions: false }, timeoutMs: 150 }),
    ).rejects.toThrow();
  });

  /** Resolves when the resource answers again. */
  async function reconnected(): Promise<void> {
    await vi.waitFor(async () => expect(await resource.write({ ...request, key: "k2" })).toMatchObject({ ok: true }), {
      interval: 5,
    });
  }

  /** Resolves when the client has noticed that its connection is gone. */
  async function lost(): Promise<void> {
    await vi.waitFor(
      async () =>
        expect(await resource.read("k1")).toMatchObject({ reason: expect.stringMatching(/writeable/) as string }),
      {
        interval: 5,
      },
    );
  }
});
