import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { UserError } from "../../core/errors.ts";
import { Heartbeat, heartbeatMemory, HeartbeatReader } from "../../client/heartbeat.ts";
import { startWatched } from "./watched-worker.ts";

const HEARTBEAT = new URL("../../client/heartbeat.ts", import.meta.url).href;
const LIMIT_MS = 300;
const workers: Worker[] = [];
beforeEach(() => void vi.stubEnv("LOCKSTORM_STEP_LIMIT_MS", String(LIMIT_MS)));
afterEach(() => void vi.unstubAllEnvs());
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.terminate())));

/** A thread that does this in a step, and what its watch said when it was over. */
async function watched(step: string): Promise<readonly UserError[]> {
  const hangs: UserError[] = [];
  const program = `
    import { parentPort } from "node:worker_threads";
    import { heartbeat } from ${JSON.stringify(HEARTBEAT)};
    const compute = (ms) => { const from = process.cpuUsage(); for (;;) {
      const { user } = process.cpuUsage(from); if (user / 1000 >= ms) return; } };
    const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    heartbeat.begin({ lock: "a lock" });
    heartbeat.beat();
    ${step}
    heartbeat.rest();
    parentPort.postMessage("over");`;
  const script = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const hung = Promise.withResolvers<void>();
  const worker = startWatched(script, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 16 } }, (error) => {
    hangs.push(error);
    hung.resolve();
  });
  worker.on("error", () => {});
  workers.push(worker);
  await Promise.race([once(worker, "message"), hung.promise]);
  return hangs;
}

test("a step that computes for too long is reported, with what the thread was doing", async () => {
  const [hang] = await watched("for (;;);");
  expect(hang?.message).toMatch(/^a lock computed for 0\.3 s of processor time without waiting for anything/);
});

test("a thread that takes all its memory is reported, with what it was doing", { tags: "long" }, async () => {
  const fill = "for (const all = []; ; ) all.push(new Array(1e6).fill('x' + all.length));";
  const [strangers] = await watched(fill);
  expect(strangers?.message).toMatch(/^a lock, while it was loaded, needed more memory than Node gives to a thread/);
  expect(strangers?.hint).toContain("--max-old-space-size");
  const [own] = await watched(`heartbeat.rest(); ${fill}`);
  expect(own?.message).toMatch(/^lockstorm needed more memory/);
});

test("a step that takes long without computing is none, nor are many steps", { tags: "long" }, async () => {
  expect(await watched(`sleep(${LIMIT_MS * 4});`)).toEqual([]);
  // Several looks, with new steps between them.
  expect(await watched(`for (let n = 0; n < 40; n += 1) { compute(20); heartbeat.beat(); }`)).toEqual([]);
});

test(
  "a step that loads one file after another is none, and loading outside of steps begins none",
  { tags: "long" },
  async () => {
    expect(await watched(`for (let n = 0; n < 40; n += 1) { compute(20); heartbeat.advance(); }`)).toEqual([]);
    const memory = heartbeatMemory();
    new Heartbeat(memory).advance();
    expect(new HeartbeatReader(memory).step).toBeUndefined();
  },
);

test("a task that is too long for the memory is kept without its plan", () => {
  const memory = heartbeatMemory();
  new Heartbeat(memory).begin({ lock: "x", store: "y".repeat(1 << 20) });
  expect(new HeartbeatReader(memory).task).toEqual({ lock: "x" });
});

test("loading that takes more than a second is told once, a run is not", { tags: "long" }, async () => {
  vi.stubEnv("LOCKSTORM_STEP_LIMIT_MS", "20000");
  const told: string[] = [];
  const program = (task: string): URL => {
    const text = `
      import { parentPort } from "node:worker_threads";
      import { heartbeat } from ${JSON.stringify(HEARTBEAT)};
      heartbeat.begin(${task});
      heartbeat.beat();
      parentPort.on("message", () => {});`;
    return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  };
  const start = (task: string, onSlow: (lock: string) => void): void =>
    void workers.push(startWatched(program(task), { execArgv: [] }, () => {}, onSlow));
  start(`{ lock: "a run", plan: { seed: 1 } }`, (lock) => told.push(lock));
  await new Promise<void>((resolve) => {
    start(`{ lock: "first" }`, (lock) => {
      told.push(lock);
      // Whatever is told twice has come by then.
      start(`{ lock: "second" }`, () => resolve());
    });
  });
  expect(told).toEqual(["first"]);
});
