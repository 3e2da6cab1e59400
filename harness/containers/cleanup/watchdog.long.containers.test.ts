// @module-tag long
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type Dockerode from "dockerode";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectEngine } from "../engine/engine.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { NODE_IMAGE } from "../setup/images.ts";
import { RUN_LABEL, runLabels } from "./labels.ts";
import { identify, isAlive, killExactly, thisProcess, type ProcessIdentity } from "./process-identity.ts";
import { deadRuns, sweep, sweepRun } from "./sweep.ts";

const RUN_ID = `test-watchdog-${process.pid}`;
const AWHILE = { timeout: 20_000, interval: 50 };

/** A harness that starts a client, stops it, makes a folder, a network and containers, and reports each step. */
const HARNESS = `
  import { spawn } from "node:child_process";
  import { mkdirSync, writeFileSync } from "node:fs";
  import { startWatchdog } from "${import.meta.dirname}/watchdog.ts";
  import { connectEngine } from "${import.meta.dirname}/../engine/engine.ts";
  import { runLabels } from "${import.meta.dirname}/labels.ts";
  const [runId, image, folder, ending] = process.argv.slice(1);
  const watchdog = await startWatchdog(runId);
  watchdog.adoptPath(folder);
  mkdirSync(folder);
  writeFileSync(folder + "/file", "");
  const client = spawn("sleep", ["600"], { stdio: "ignore" });
  watchdog.adopt(client.pid);
  process.kill(client.pid, "SIGSTOP");
  console.log("client " + client.pid);
  const engine = await connectEngine();
  const Labels = runLabels(runId);
  const network = await engine.createNetwork({ Name: runId, Labels });
  const HostConfig = { NetworkMode: runId };
  const start = async () => (await engine.createContainer({ Image: image, Labels, HostConfig })).start();
  await start();
  await start();
  console.log("up");
  if (ending === "dispose") { await watchdog[Symbol.asyncDispose](); console.log("disposed"); }
  for (;;) await (ending === "create" ? start() : new Promise((resolve) => setTimeout(resolve, 60_000)));
`;

let engine: Dockerode;
let cache: string;
let folder: string;
let harness: ChildProcess | undefined;

beforeEach(async () => {
  engine = await connectEngine();
  cache = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  folder = join(cache, "folder-of-the-run");
  vi.stubEnv("XDG_CACHE_HOME", cache);
});

afterEach(async () => {
  harness?.kill("SIGKILL");
  harness = undefined;
  await sweepRun(RUN_ID);
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

/**
 * Starts the harness and waits until everything is up. Returns its client, and a function that waits for its next
 * message.
 */
async function startHarness(ending: "wait" | "create" | "dispose") {
  const options = ["--input-type=module", "-e", HARNESS, RUN_ID, NODE_IMAGE, folder, ending];
  harness = spawn(process.execPath, options, { stdio: ["ignore", "pipe", "inherit"] });
  if (harness.stdout === null) throw new Error("the harness has no output");
  const lines = createInterface({ input: harness.stdout })[Symbol.asyncIterator]();
  const word = async (): Promise<string> => String((await lines.next()).value);
  const client = identify(Number((await word()).replace("client ", "")));
  expect(await word()).toBe("up");
  if (client === undefined || harness.pid === undefined) throw new Error("the harness has no client");
  return { pid: harness.pid, client, word };
}

async function killHarness(): Promise<void> {
  if (harness === undefined) throw new Error("no harness was started");
  const ended = once(harness, "exit");
  harness.kill("SIGKILL");
  await ended;
}

/** The run's remains in the engine. */
async function remains(): Promise<{ readonly containers: number; readonly networks: number }> {
  const filters = { label: [`${RUN_LABEL}=${RUN_ID}`] };
  const containers = await engine.listContainers({ all: true, filters });
  return { containers: containers.length, networks: (await engine.listNetworks({ filters })).length };
}

/** The watchdogs of this test's run, found by their command line. */
function watchdogs(): readonly ProcessIdentity[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const isOurs = commandLine[1]?.includes("watchdog-process") === true && commandLine[2] === RUN_ID;
      return isOurs ? (identify(Number(pid)) ?? []) : [];
    } catch {
      return [];
    }
  });
}

async function expectNothingLeft(client: ProcessIdentity): Promise<void> {
  await vi.waitFor(() => expect(watchdogs()).toEqual([]), AWHILE);
  expect(await remains()).toEqual({ containers: 0, networks: 0 });
  expect(isAlive(client)).toBe(false);
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(join(cache, "lockstorm/runs"))).toEqual([]);
}

describeWithEngine("when a harness ends", () => {
  test("by SIGKILL, its watchdog leaves nothing of it, not even a stopped client", async () => {
    const { client } = await startHarness("wait");
    expect(await remains()).toEqual({ containers: 2, networks: 1 });
    expect(isAlive(client)).toBe(true);
    expect(watchdogs()).toHaveLength(1);
    await killHarness();
    await expectNothingLeft(client);
  });

  test("by SIGKILL in the middle of starting containers, nothing appears afterwards", async () => {
    const { client } = await startHarness("create");
    await vi.waitFor(async () => expect((await remains()).containers).toBeGreaterThan(3), AWHILE);
    await killHarness();
    await expectNothingLeft(client);
  });

  test("in good order, nothing is left and the watchdog is gone with the rest", async () => {
    const { client, word } = await startHarness("dispose");
    expect(await word()).toBe("disposed");
    expect(watchdogs()).toEqual([]);
    await expectNothingLeft(client);
  });

  test("together with its watchdog, the next sweep leaves nothing of it", async () => {
    const { client } = await startHarness("wait");
    expect(watchdogs().map(killExactly)).toEqual([true]);
    expect(await deadRuns()).not.toContain(RUN_ID);
    await killHarness();
    expect(await remains()).toEqual({ containers: 2, networks: 1 });
    expect(await deadRuns()).toContain(RUN_ID);
    await sweep();
    await expectNothingLeft(client);
  });
});

describeWithEngine("a sweep", () => {
  test("takes a paused container too, and leaves what belongs to the living and to other machines", async () => {
    const others = { [`${RUN_ID}-a`]: thisProcess(), [`${RUN_ID}-b`]: { ...thisProcess(), hostname: "x", boot: "x" } };
    const create = async (Labels: Record<string, string>): Promise<Dockerode.Container> => {
      const container = await engine.createContainer({ Image: NODE_IMAGE, Labels });
      await container.start();
      return container;
    };
    const dead = await create(runLabels(RUN_ID, { ...thisProcess(), start: "0" }));
    await dead.pause();
    const kept = await Promise.all(Object.entries(others).map(([runId, owner]) => create(runLabels(runId, owner))));
    try {
      await sweep();
      await expect(dead.inspect()).rejects.toThrow("No such container");
      for (const container of kept) expect((await container.inspect()).State.Running).toBe(true);
    } finally {
      for (const runId of Object.keys(others)) await sweepRun(runId);
    }
  });

  test("of a run twice at a time does no harm", async () => {
    mkdirSync(folder);
    await engine.createNetwork({ Name: RUN_ID, Labels: runLabels(RUN_ID) });
    const HostConfig = { NetworkMode: RUN_ID };
    const container = await engine.createContainer({ Image: NODE_IMAGE, Labels: runLabels(RUN_ID), HostConfig });
    await container.start();
    await Promise.all([sweepRun(RUN_ID), sweepRun(RUN_ID)]);
    expect(await remains()).toEqual({ containers: 0, networks: 0 });
  });
});
