import { mock } from "node:test";
import { afterEach, expect, test, vi } from "vitest";
import { UnusableClientError } from "../core/errors.ts";
import { ClientTimers, refuseFakeTicks, refuseFakeTimers, withoutFaking, withoutFakingTimers } from "./fake-timers.ts";
import { ScriptedServer } from "../../lock-impl/testing/scripted-server.ts";
import { ClientProgram } from "./client-program.ts";
import { grant, StubClient } from "./testing/stub-client.ts";

const nextTick = process.nextTick.bind(process);

const acquire = { op: "acquire", key: "k1", ttlMs: 1000, waitMs: 200 } as const;

function start(connected: StubClient | (() => StubClient), { address }: ScriptedServer): Promise<ClientProgram> {
  return ClientProgram.start({
    driver: { connect: async () => (typeof connected === "function" ? connected() : connected) },
    environment: { client: "client-0", servers: { kind: "single", address: { host: "127.0.0.1", port: 1 } } },
    resource: address,
    checks: { fencing: true, versions: false },
    trueNow: () => 0,
  });
}

afterEach(() => {
  process.nextTick = nextTick;
  vi.useRealTimers();
  mock.timers.reset();
});

test("real timers are accepted, beside a date that is not", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await expect(refuseFakeTimers()).resolves.toBeUndefined();
});

test("fake timers are refused, whoever made them", async () => {
  vi.useFakeTimers();
  await expect(refuseFakeTimers()).rejects.toThrow("fake timers are in force");
  vi.useRealTimers();
  await expect(refuseFakeTimers()).resolves.toBeUndefined();
  mock.timers.enable({ apis: ["setTimeout"] });
  await expect(refuseFakeTimers()).rejects.toThrow("fake timers are in force");
});

test("another process can be waited for beside fake timers, unless ticks are fake too", async () => {
  vi.useFakeTimers();
  await expect(refuseFakeTicks()).resolves.toBeUndefined();
  process.nextTick = () => {};
  const refused = refuseFakeTicks();
  await expect(refused).rejects.toThrow("fake timers are in force");
});

test("a driver that fakes timers is refused by its name, unless its caller had faked them before", async () => {
  await expect(withoutFaking("./lock.mjs", async () => "loaded")).resolves.toBe("loaded");
  try {
    const faking = withoutFaking("./lock.mjs", async () => mock.timers.enable());
    await expect(faking).rejects.toThrow("./lock.mjs fakes the timers of its process");
    await expect(withoutFaking("./lock.mjs", async () => "loaded")).resolves.toBe("loaded");
  } finally {
    mock.timers.reset();
  }
});

test.each([
  ["at once, and never settles", () => (mock.timers.enable(), new Promise(() => {}))],
  ["at once, and fails because of that", () => (mock.timers.enable(), Promise.reject(new Error("no answer")))],
  ["later on", () => Promise.resolve().then(() => mock.timers.enable())],
])("a client that fakes timers when it connects is refused: %s", async (_, connect) => {
  await expect(withoutFakingTimers(new ClientTimers(), connect)).rejects.toThrow("it fakes the timers of its process");
});

test("a client that puts a function before that of Node, as tracers do, connects", async () => {
  const { setTimeout: real } = globalThis;
  const traced = Object.assign((...args: Parameters<typeof real>) => real(...args), real);
  try {
    await expect(
      withoutFakingTimers(new ClientTimers(), async () => Object.assign(globalThis, { setTimeout: traced })),
    ).resolves.toBeDefined();
  } finally {
    globalThis.setTimeout = real;
  }
});

test("a client that fakes timers only while it connects, or fails without them, fails as it does", async () => {
  const passing = async () => (mock.timers.enable(), mock.timers.reset(), "connected");
  await expect(withoutFakingTimers(new ClientTimers(), passing)).resolves.toBe("connected");
  await expect(withoutFakingTimers(new ClientTimers(), () => Promise.reject(new Error("no answer")))).rejects.toThrow(
    "no answer",
  );
});

test.each([
  ["at once", () => (mock.timers.enable(), new Promise<never>(() => {}))],
  ["and fails because of that", () => (mock.timers.enable(), Promise.reject(new Error("no answer")))],
  ["before it answers", async () => (mock.timers.enable(), { type: "ok", value: grant } as const)],
])("a client that fakes timers when it acquires cannot go on, and says so: %s", async (_, onAcquire) => {
  await using resource = await ScriptedServer.listen(() => ({ reply: "+OK\r\n" }));
  const lock = Object.assign(new StubClient(), { onAcquire });
  await using program = await start(lock, resource);
  await expect(program.perform(acquire)).rejects.toThrow(UnusableClientError);
  mock.timers.reset();
});

test("a client that fakes timers while it acquires, and waits for one of them, is given up in time all the same", async () => {
  await using resource = await ScriptedServer.listen(() => ({ reply: "+OK\r\n" }));
  const { setTimeout: real } = globalThis;
  const hundredTimesFaster = (action: () => void, ms = 0) => real(action, ms / 100);
  Object.assign(globalThis, { setTimeout: hundredTimesFaster });
  try {
    const lock = new StubClient();
    await using program = await start(lock, resource);
    lock.onAcquire = async () => {
      await Promise.resolve();
      mock.timers.enable();
      return new Promise(() => {});
    };
    await expect(program.perform(acquire)).rejects.toThrow("it fakes the timers of its process");
    mock.timers.reset();
  } finally {
    globalThis.setTimeout = real;
  }
});

test("the program of such a client ends at once, although its resource is not reached then", async () => {
  const silent = await ScriptedServer.listen(() => "silence");
  const starting = start(() => (mock.timers.enable(), new StubClient()), silent);
  try {
    await expect(starting).rejects.toThrow("it fakes the timers of its process");
  } finally {
    mock.timers.reset();
    await silent[Symbol.asyncDispose]();
  }
});
