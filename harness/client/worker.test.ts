import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../lock-impl/testing/scripted-server.ts";
import type { WorkerConfiguration } from "./worker.ts";

const workerFile = fileURLToPath(new URL("./worker.ts", import.meta.url));
const driverFile = fileURLToPath(new URL("./testing/drivers.ts", import.meta.url));

/** A worker process, spoken to in JSON lines as a containerized run does. */
class Worker implements AsyncDisposable {
  readonly #child = spawn(process.execPath, [workerFile], { stdio: ["pipe", "pipe", "inherit"] });
  readonly #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  readonly exit = once(this.#child, "exit") as Promise<[number | null]>;

  say(...messages: readonly object[]): void {
    for (const message of messages) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async hear(): Promise<unknown> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : JSON.parse(value);
  }

  close(): void {
    this.#child.stdin.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exit;
  }
}

let resource: ScriptedServer;
let configuration: WorkerConfiguration;

beforeEach(async () => {
  resource = await ScriptedServer.listen(([command]) => ({ reply: command === "hget" ? "$1\r\n4\r\n" : "+OK\r\n" }));
  configuration = {
    client: "client-7",
    lock: driverFile,
    servers: { kind: "single", address: resource.address },
    resource: resource.address,
    checks: { fencing: true, versions: false },
    origin: String(process.hrtime.bigint()),
  };
});

afterEach(() => resource[Symbol.asyncDispose]());

describe("a worker", () => {
  test("says when it is connected, answers each request under its number, and ends with its input", async () => {
    await using worker = new Worker();
    worker.say(configuration);
    expect(await worker.hear()).toEqual({ ready: true });

    const begun = Number(process.hrtime.bigint() - BigInt(configuration.origin));
    worker.say({ id: 1, op: "acquire", key: "k1", ttlMs: 1000, waitMs: 0 });
    const granted = (await worker.hear()) as { readonly grantedAt: number };
    expect(granted).toEqual({ id: 1, ok: true, owner: "client-7-1", grantedAt: expect.any(Number) as number });
    expect(granted.grantedAt).toBeGreaterThan(begun);
    expect(granted.grantedAt).toBeLessThan(Number(process.hrtime.bigint() - BigInt(configuration.origin)));

    worker.say({ id: 2, op: "read", key: "k1" });
    expect(await worker.hear()).toEqual({ id: 2, ok: true, position: 4 });
    worker.say({ id: 3, op: "release", key: "k1", owner: "client-7-1" });
    expect(await worker.hear()).toEqual({ event: "lost", key: "k1", owner: "client-7-1" });
    expect(await worker.hear()).toEqual({ id: 3, ok: true, released: true });

    worker.close();
    expect(await worker.exit).toEqual([0, null]);
  });

  test("tells its wall clock", async () => {
    await using worker = new Worker();
    worker.say(configuration);
    await worker.hear();
    const before = Date.now();
    worker.say({ id: 9, op: "clock" });
    const { wallMs, ...rest } = (await worker.hear()) as { readonly wallMs: number };
    expect(rest).toEqual({ id: 9, ok: true });
    expect(wallMs).toBeGreaterThanOrEqual(before);
    expect(wallMs).toBeLessThanOrEqual(Date.now());
  });

  test("says how its lock crashes it, and ends", async () => {
    await using worker = new Worker();
    worker.say({ ...configuration, lock: fileURLToPath(new URL("./testing/crashing-driver.ts", import.meta.url)) });
    expect(await worker.hear()).toEqual({ ready: true });
    worker.say({ id: 1, op: "acquire", key: "k1", ttlMs: 1000, waitMs: 0 });
    expect(await worker.hear()).toEqual({
      event: "crashed",
      evidence: "unhandledRejection: RangeError: no such slot",
      stack: [expect.stringContaining("crashing-driver.ts"), expect.stringContaining("crashing-driver.ts")],
    });
    expect(await worker.exit).toEqual([1, null]);
  });

  test("whose lock fakes the timers of its process says that it cannot go on", async () => {
    await using worker = new Worker();
    worker.say({ ...configuration, lock: fileURLToPath(new URL("./testing/faking-driver.ts", import.meta.url)) });
    expect(await worker.hear()).toEqual({ ready: true });
    worker.say({ id: 1, op: "acquire", key: "k1", ttlMs: 1000, waitMs: 0 });
    const unusable = { reason: "it fakes the timers of its process", hint: expect.stringContaining("mock.timers") };
    expect(await worker.hear()).toEqual({ id: 1, unusable });
  });

  test("whose lock cannot be loaded says why, and ends", async () => {
    await using worker = new Worker();
    worker.say({ ...configuration, lock: "unheard-of" });
    expect(await worker.hear()).toEqual({ ready: false, reason: 'there is no lock "unheard-of"' });
    expect(await worker.exit).toEqual([1, null]);
  });

  test("whose resource cannot be reached says so, and ends", async () => {
    await resource[Symbol.asyncDispose]();
    await using worker = new Worker();
    worker.say(configuration);
    expect(await worker.hear()).toMatchObject({ ready: false });
    expect(await worker.exit).toEqual([1, null]);
  });
});
