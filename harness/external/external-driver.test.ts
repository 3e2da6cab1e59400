import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../lock-impl/testing/scripted-server.ts";
import type { WorkerCommand } from "../../lock-impl/worker-lock.ts";
import { UserError } from "../core/errors.ts";
import type { LockClient } from "../core/lock-driver.ts";
import { describeWorker } from "./describe-worker.ts";
import { externalDriver } from "./external-driver.ts";
import { readWorkerFile } from "./worker-file.ts";
import { type WorkerSessionOptions, WorkerSession } from "./worker-session.ts";

const NOTHING = { extend: "none", ttlGranularityMs: 1, reentrant: false, fence: false, waits: false };
const OPTIONS = { ttlMs: 700, waitMs: 0, signal: new AbortController().signal };

let server: ScriptedServer;
/** What the server answers to SET: it is free, or held. */
let setReply: string;
let tries: number;
let onTry: () => void;

beforeEach(async () => {
  setReply = "+OK\r\n";
  tries = 0;
  onTry = () => {};
  server = await ScriptedServer.listen(([name]) => {
    if (name?.toLowerCase() !== "set") return { reply: ":1\r\n" };
    tries += 1;
    onTry();
    return setReply === "" ? "break" : { reply: setReply };
  });
});

afterEach(() => server[Symbol.asyncDispose]());

function command(mistake = ""): WorkerCommand {
  const words = ["testing/worker.py", mistake];
  return { program: "python3", arguments: words, environment: {}, directory: import.meta.dirname };
}

function connect(mistake?: string): Promise<LockClient> {
  const servers = { kind: "single", address: server.address } as const;
  const worker = { name: "./a.worker.json", command: command(mistake), topologies: ["single"], limits: [] } as const;
  return externalDriver(worker).connect({ client: "client-0", servers });
}

describe("a lock in another language", () => {
  test("acquires, extends and releases; its leases count from before it sent", async () => {
    await using client = await connect();
    const before = performance.now();
    const granted = await client.acquire("k", OPTIONS);
    if (granted.type !== "ok") throw new Error(granted.reason);
    const { owner, validForMs, validFromMs = 0 } = granted.value;
    expect([owner, validForMs]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), 700]);
    expect(validFromMs).toBeGreaterThanOrEqual(before - 0.001);
    expect(validFromMs).toBeLessThanOrEqual(performance.now());
    expect(await client.extend?.(granted.value, 900)).toMatchObject({ type: "ok", value: { owner, validForMs: 900 } });
    expect(await client.release(granted.value)).toEqual({ type: "ok", value: { released: true } });
  });

  test("is contended where another holds, and indeterminate where nobody knows", async () => {
    await using client = await connect();
    setReply = "$-1\r\n";
    expect(await client.acquire("k", OPTIONS)).toMatchObject({ type: "fail", kind: "contended" });
    setReply = "";
    expect(await client.acquire("k", OPTIONS)).toMatchObject({ type: "info" });
  });

  test("that does not wait is asked again instead, until the wait is over", async () => {
    await using client = await connect();
    onTry = () => (setReply = tries > 2 ? "+OK\r\n" : "$-1\r\n");
    expect(await client.acquire("k", { ...OPTIONS, waitMs: 60_000 })).toMatchObject({ type: "ok" });
    expect(tries).toBe(3);
  });

  test("that does not wait is not asked again when the wait is over", async () => {
    await using client = await connect();
    setReply = "$-1\r\n";
    // A second try would come after 50 ms.
    expect(await client.acquire("k", { ...OPTIONS, waitMs: 50 })).toMatchObject({ type: "fail", kind: "contended" });
    expect(tries).toBe(1);
  });

  test("says what time its own wall clock shows", async () => {
    await using client = await connect();
    const before = Date.now();
    const shown = await client.wallMs?.();
    expect(shown).toBeGreaterThanOrEqual(before);
    expect(shown).toBeLessThanOrEqual(Date.now());
  });

  test.each([
    ["chatter", "it printed what is no message: acquiring"],
    ["empty-owner", "the answer of acquire: `owner`: Too small"],
    ["future", "`grantedAt` is still to come"],
    ["ones", "it printed what is no message: `ok`: Invalid input: expected boolean, received number, in {"],
    ["numberless", "it printed what is no message: `id`: Invalid input: expected number, received undefined, in {"],
    ["gone", 'it printed what is no message: {"event": "gone"'],
    ["mute", "it closed its standard output"],
    ["latin-1", /it printed a line that is not UTF-8: \{"id": 2, "ok": true, "owner": "caf\uFFFD", "grantedAt": 0\}$/],
  ])("that gets an answer wrong (%s) is told so", { tags: "long" }, async (mistake, words) => {
    await using client = await connect(mistake);
    await expect(client.acquire("k", OPTIONS)).rejects.toThrow(words);
  });

  test("that answers twice is told so with the next answer", async () => {
    await using client = await connect("twice");
    await client.acquire("k", OPTIONS);
    await expect(client.acquire("k", OPTIONS)).rejects.toThrow(/it answered \d a second time$/);
  });

  test("that states permits is asked for them", async () => {
    await using client = await connect("permits");
    expect(client.supports).toEqual({
      permits: true,
      modes: false,
      severalKeys: false,
      fair: false,
      concurrent: false,
    });
    const granted = await client.acquire("k", { ...OPTIONS, limit: 3, permits: 2 });
    expect(granted).toMatchObject({ type: "ok", value: { owner: expect.stringMatching(/:2 of 3$/) } });
  });

  test("that has a queue says when an acquire stands in it", async () => {
    await using client = await connect("fair");
    const heard: object[] = [];
    client.onQueued?.((queued) => heard.push(queued));
    expect(await client.acquire("k", OPTIONS)).toMatchObject({ type: "ok" });
    expect([client.supports?.fair, heard]).toEqual([true, [{ key: "k" }]]);
  });

  test("that has no leases promises no validity", async () => {
    await using client = await connect("endless");
    const granted = await client.acquire("k", OPTIONS);
    if (granted.type !== "ok") throw new Error(granted.reason);
    expect([granted.value.validForMs, granted.value.validFromMs]).toEqual([undefined, undefined]);
  });

  test.each([
    ["nothing is stated", "", undefined, undefined],
    [
      "the worker states it",
      "permits",
      undefined,
      { permits: true, modes: false, severalKeys: false, fair: false, concurrent: false },
    ],
    ["its file states it", "", { modes: true }, { modes: true }],
    ["its file states less", "permits", { permits: false }, { permits: false }],
  ])("supports what is stated: %s", async (_, mistake, supports, expected) => {
    const lock = { name: "a", topologies: ["single"], limits: [], command: command(mistake) } as const;
    const stated = supports === undefined ? {} : { supports };
    expect((await describeWorker({ ...lock, ...stated })).supports).toEqual(expected);
  });

  test.each(["permits", "severalKeys", "concurrent"])(
    "whose file states more than it says (%s) cannot be used",
    async (what) => {
      const lock = { name: "a", topologies: ["single"], limits: [], command: command("mutex") } as const;
      await expect(describeWorker({ ...lock, supports: { [what]: true } })).rejects.toThrow(
        `its file states that the lock supports ${what}, and the worker says that it does not`,
      );
    },
  );

  test("that takes several keys at once is asked for them", async () => {
    await using client = await connect("several");
    expect(client.supports?.severalKeys).toBe(true);
    const granted = await client.acquire("k", { ...OPTIONS, alsoKeys: ["l"] });
    expect(granted).toMatchObject({ type: "ok", value: { key: "k", owner: expect.stringMatching(/:k\+l$/) } });
  });

  test("states what it can do, or nothing", async () => {
    const lock = { name: "a", topologies: ["single"], limits: [] } as const;
    expect(await describeWorker({ ...lock, command: command() })).toEqual({ ...NOTHING, extend: "any" });
    expect(await describeWorker({ ...lock, command: command("bare") })).toEqual(NOTHING);
  });
});

describe("a worker that cannot be used is one line", () => {
  test.each([
    ["garbage", /its first line says neither ready nor why not: Hello!$/],
    ["array", /neither ready nor why not: Invalid input: expected object, received array, in \[\]$/],
    ["pretty", /its first line says neither ready nor why not: \{ \(a message is one line, not several\)$/],
    ["mark", /its first line begins with a byte order mark, which JSON does not have: \{"ready": true, .*\}$/],
    ["capability", /neither ready nor why not: `capabilities.extend`: Invalid option: .*, in \{"ready": true, "cap/],
    ["unexplained", /neither ready nor why not: `reason`: Invalid input: .*, in \{"ready": false\}$/],
    ["ready-twice", /cannot be used: it printed what is no message: \{"ready": true, /],
    ["exit", /it ended before it was ready: exit code 1: no licence for this lock$/],
    ["flood", /it printed a line that is longer than any message: x{200}\.\.\.$/],
    ["refuse", /no licence for this lock$/],
    ["clock", /its monotonic clock shows \d+ ns/],
    ["coarse", /its monotonic clock shows \d+000000 ns, and moves in steps of a millisecond or more: leases could not/],
    ["hang", /it was not ready within 300 ms$/],
    ["deaf", /it said that it is ready, and then did not answer `clock` within 300 ms: each answer is one line/],
  ])("%s", { tags: "long" }, async (mistake, words) => {
    const options: WorkerSessionOptions = {
      command: command(mistake),
      first: { protocol: 1, client: "client-0", origin: "0", servers: { kind: "single", address: server.address } },
      name: "a",
      log: () => {},
      ownGroup: true,
      // The others are ready, or not, long before.
      ...(mistake === "hang" ? { readyDeadlineMs: 300 } : {}),
      ...(mistake === "deaf" ? { clockDeadlineMs: 300 } : {}),
    };
    const opened = WorkerSession.open(options);
    await expect(opened).rejects.toThrow(words);
    await expect(opened).rejects.toBeInstanceOf(UserError);
  });
});

describe("a worker file", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function read(text: string): ReturnType<typeof readWorkerFile> {
    const path = join(folder, "a.worker.json");
    writeFileSync(path, text);
    return readWorkerFile(path);
  }

  test("is read from its own folder", () => {
    const { command, topologies, claims } = read(
      JSON.stringify({ command: { program: "./run", directory: "lib" }, topologies: ["single"] }),
    );
    expect(command).toEqual({
      program: join(folder, "run"),
      arguments: [],
      environment: {},
      directory: join(folder, "lib"),
    });
    expect([topologies, claims]).toEqual([["single"], undefined]);
  });

  test.each([
    ["{", /is no worker file: .*JSON/],
    ["{}", /is no worker file: command: /],
    ['{"command":{"program":"a"},"topologies":["star"]}', /is no worker file: topologies\.0: /],
    ['{"command":{"program":"a"},"topologies":["single"],"supports":{"keys":true}}', /Unrecognized key: "keys"/],
    ['{"command":{"program":"a","shell":true},"topologies":["single"]}', /Unrecognized key: "shell"/],
  ])("that is none is one line: %s", (text, words) => {
    expect(() => read(text)).toThrow(UserError);
    expect(() => read(text)).toThrow(words);
  });

  test("that is missing is one line", () => {
    expect(() => readWorkerFile(join(folder, "b.worker.json"))).toThrow(/cannot be read: ENOENT/);
  });
});
