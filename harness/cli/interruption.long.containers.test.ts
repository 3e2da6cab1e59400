// @module-tag long
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectEngine } from "../containers/engine/engine.ts";
import { describeWithEngine } from "../containers/testing/engine-required.ts";
import { RUN_LABEL } from "../containers/cleanup/labels.ts";
import { sweepRun } from "../containers/cleanup/sweep.ts";
import { type RunningCli, runCli, startCli } from "./testing/run-cli.ts";

const AWHILE = { timeout: 30_000, interval: 50 };
/** Client 1 waits for seconds, and client 0 is stopped meanwhile: this leaves time to disturb the run. */
const SCENARIO = ["reproduce", "async-failover", "--backend", "containers", "--seed", "7"];

let folder: string;
let cache: string;
let cli: RunningCli | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  cache = join(folder, "cache");
});

afterEach(async () => {
  cli?.child.kill("SIGKILL");
  await cli?.result;
  cli = undefined;
  rmSync(folder, { recursive: true });
});

/** Starts the real program with its own store, cache and folder for temporary files. */
function start(words: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCli {
  cli = startCli([...words, "--store", join(folder, "store")], {
    env: { XDG_CACHE_HOME: cache, TMPDIR: folder, ...env },
  });
  return cli;
}

/** The history file of the only run, when there is one. */
function historyFile(): string | undefined {
  const runs = join(folder, "store", "runs");
  const [run] = existsSync(runs) ? readdirSync(runs) : [];
  return run === undefined ? undefined : join(runs, run, "history.jsonl");
}

/** Resolves when the history has an event like this. */
async function recorded(pattern: RegExp): Promise<void> {
  await expect
    .poll(() => {
      const file = historyFile();
      return file !== undefined && existsSync(file) && pattern.test(readFileSync(file, "utf8"));
    }, AWHILE)
    .toBe(true);
}

/** The resources of runs, from their records: ids, and the processes of clients. */
function records(): { readonly runs: readonly string[]; readonly clients: readonly number[] } {
  const kept = join(cache, "lockstorm", "runs");
  const runs = existsSync(kept) ? readdirSync(kept) : [];
  const clients = runs.flatMap((run) =>
    readFileSync(join(kept, run, "adopted.jsonl"), "utf8")
      .split("\n")
      .flatMap((line) => /"process":\{"pid":(\d+)/.exec(line)?.[1] ?? [])
      .map(Number),
  );
  return { runs, clients };
}

interface Belongings {
  readonly runs: readonly string[];
  readonly clients: readonly number[];
}

function livingProcesses(pids: readonly number[]): readonly number[] {
  return pids.filter((pid) => existsSync(`/proc/${pid}`));
}

/** Containers, networks, processes and temporary folders that are left. */
async function left({ runs, clients }: Belongings): Promise<readonly string[]> {
  const engine = await connectEngine();
  const labels = runs.map(async (run) => {
    const filters = { label: [`${RUN_LABEL}=${run}`] };
    const containers = await engine.listContainers({ all: true, filters });
    const networks = await engine.listNetworks({ filters });
    return [...containers.map(({ Id }) => `container ${Id}`), ...networks.map(({ Name }) => `network ${Name}`)];
  });
  return [
    ...(await Promise.all(labels)).flat(),
    ...livingProcesses(clients).map((pid) => `process ${pid}`),
    ...records().runs.map((run) => `record ${run}`),
    ...readdirSync(folder).filter((name) => name.startsWith("lockstorm-")),
  ];
}

/** The history so far is readable: `check` judges it, regardless of the verdict. */
async function expectHistoryKept(): Promise<void> {
  const file = historyFile();
  if (file === undefined) throw new Error("no run was recorded");
  expect(readFileSync(file, "utf8").trim().split("\n").length).toBeGreaterThan(3);
  const { code, stderr } = await runCli(["check", file]);
  expect([0, 1, 2]).toContain(code);
  expect(stderr).toBe("");
}

describeWithEngine("a run that is interrupted", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("by %s ends in good order: history kept, nothing left", async (signal) => {
    const { child, result } = start(SCENARIO);
    await recorded(/"kill-node"/);
    const belongings = records();
    expect(belongings.clients).toHaveLength(2);
    child.kill(signal);
    const { code, stderr } = await result;
    expect(code).toBe(130);
    expect(stderr).toContain("lockstorm: interrupted, cleaning up");
    expect(stderr).not.toMatch(/ at .*:\d+/);
    expect(await left(belongings)).toEqual([]);
    await expectHistoryKept();
  });

  test("while it starts leaves nothing", async () => {
    const { child, result, says } = start(["reproduce", "node-clock-jump", "--backend", "containers"]);
    await says("starting redlock in containers");
    await expect.poll(() => records().clients, AWHILE).not.toHaveLength(0);
    const belongings = records();
    child.kill("SIGINT");
    expect(await result).toMatchObject({ code: 130 });
    expect(await left(belongings)).toEqual([]);
  });

  test("by SIGKILL, with a client stopped, leaves nothing within seconds: the watchdog sees to it", async () => {
    const { child, result } = start(["reproduce", "pause-past-lease", "--backend", "containers"]);
    await recorded(/"pause-client".*"start"/);
    const belongings = records();
    const stopped = belongings.clients.filter((pid) => / T /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
    expect(stopped).toHaveLength(1);
    expect((await left(belongings)).length).toBeGreaterThan(5);
    child.kill("SIGKILL");
    expect(await result).toMatchObject({ signal: "SIGKILL" });
    await expect.poll(() => left(belongings), AWHILE).toEqual([]);
    await expectHistoryKept();
  });

  test("because a node dies by itself ends with 255 and one line, history kept, nothing left", async () => {
    const { result } = start(SCENARIO);
    await recorded(/"audit"/);
    const belongings = records();
    const engine = await connectEngine();
    const filters = { label: [`${RUN_LABEL}=${belongings.runs[0]}`] };
    const containers = await engine.listContainers({ filters });
    const sentinel = containers.find(({ Command }) => Command.endsWith(" sentinel"));
    if (sentinel === undefined) throw new Error("no Sentinel runs");
    await engine.getContainer(sentinel.Id).kill();
    const { code, stdout, stderr } = await result;
    expect([code, stdout]).toEqual([255, ""]);
    const [line, ...rest] = stderr.split("\n").filter((each) => each.startsWith("lockstorm: "));
    expect(line).toMatch(
      /^lockstorm: sentinel-\d died by itself: its container ended although no fault had ended it; the history so far is kept: npx lockstorm check \S+history\.jsonl$/,
    );
    expect(rest).toEqual([]);
    expect(await left(belongings)).toEqual([]);
    await expectHistoryKept();
  });
});

describeWithEngine("a campaign of several systems", () => {
  const HUNT = ["hunt", "--lock", "fenced", "--backend", "containers", "--threads", "3", "--seed", "1"];

  test.each(["SIGINT", "SIGKILL"] as const)("that is ended by %s leaves nothing of any of them", async (signal) => {
    const { child, result } = start(HUNT);
    // Systems start one after another, each with two servers, Toxiproxy and a network.
    const started = async (): Promise<boolean> => {
      const { runs } = records();
      const each = await Promise.all(runs.map((run) => left({ runs: [run], clients: [] })));
      return (
        each.length === 3 &&
        each.every((belongings) => belongings.filter((one) => /^(container|network)/.test(one)).length === 4)
      );
    };
    await expect.poll(started, { ...AWHILE, timeout: 90_000 }).toBe(true);
    const belongings = records();
    child.kill(signal);
    expect(await result).toMatchObject(signal === "SIGINT" ? { code: 130 } : { signal });
    await expect.poll(() => left(belongings), AWHILE).toEqual([]);
  });
});

/** A path to the engine that can be cut: it forwards its socket's traffic to the real engine. */
async function engineBehindProxy(): Promise<{ readonly host: string; cut(): void }> {
  const { modem } = await connectEngine();
  const { socketPath } = modem as { readonly socketPath?: string };
  if (socketPath === undefined) throw new Error("the engine is not at a socket");
  const path = join(folder, "engine.sock");
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(socketPath);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {}).on("close", () => other.destroy());
      one.pipe(other);
    }
  }).listen(path);
  await once(server, "listening");
  return {
    host: `unix://${path}`,
    cut: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describeWithEngine("a run whose engine goes away", () => {
  let proxy: Awaited<ReturnType<typeof engineBehindProxy>>;
  let belongings: Belongings;

  beforeEach(async () => {
    proxy = await engineBehindProxy();
  });

  afterEach(async () => {
    // A program that knew the engine only by the cut path could not clean up.
    vi.stubEnv("XDG_CACHE_HOME", cache);
    for (const run of belongings.runs) await sweepRun(run);
    vi.unstubAllEnvs();
    proxy.cut();
  });

  test("ends with 255 and one line, and the history is kept", async () => {
    const { result } = start(SCENARIO, { DOCKER_HOST: proxy.host });
    await recorded(/"kill-node"/);
    belongings = records();
    proxy.cut();
    const { code, stdout, stderr } = await result;
    expect([code, stdout]).toEqual([255, ""]);
    const lines = stderr.trim().split("\n");
    expect(lines.at(-1)).toMatch(
      /^lockstorm: the container engine (?:is gone: |died by itself: ).*; the history so far is kept: npx lockstorm check \S+$/,
    );
    expect(lines.filter((line) => !line.startsWith("["))).toHaveLength(1);
    expect(livingProcesses(belongings.clients)).toEqual([]);
    await expectHistoryKept();
  });

  test("while it starts ends with 255 and one line", async () => {
    const { result, says } = start(SCENARIO, { DOCKER_HOST: proxy.host });
    await says("starting sentinel in containers");
    await expect.poll(() => records().clients, AWHILE).toHaveLength(2);
    belongings = records();
    proxy.cut();
    const { code, stdout, stderr } = await result;
    expect([code, stdout]).toEqual([255, ""]);
    expect(stderr.trim().split("\n").slice(1)).toEqual([
      expect.stringMatching(/^lockstorm: the container engine is gone: /),
    ]);
    expect(livingProcesses(belongings.clients)).toEqual([]);
  });
});

describeWithEngine("a run that cannot start", () => {
  test("because its port is in use is one line and 254, and leaves nothing", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const { result } = start(["reproduce", "plain-del", "--backend", "containers", "--proxy-port", String(port)]);
      const { code, stdout, stderr } = await result;
      expect([code, stdout]).toEqual([254, ""]);
      expect(stderr.trim().split("\n").slice(1)).toEqual([
        `lockstorm: port ${port} on 127.0.0.1 cannot be used: listen EADDRINUSE: address already in use 127.0.0.1:${port}; choose another with --proxy-port`,
      ]);
      expect(await left({ runs: [], clients: [] })).toEqual([]);
    } finally {
      server.close();
    }
  });

  test("because its lock cannot connect is one line and 254, and leaves nothing", async () => {
    const lock = new URL("testing/lock-without-servers.ts", import.meta.url).pathname;
    const { code, stderr } = await start(["reproduce", "plain-del", "--backend", "containers", "--lock", lock]).result;
    expect(code).toBe(254);
    expect(stderr).toMatch(
      /\nlockstorm: the lock of client-\d could not connect: .*; fix its driver; .*client-\d\.log\n$/,
    );
    expect(await left({ runs: [], clients: [] })).toEqual([]);
  });
});
