// @module-tag long
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PLAN_FORMAT, PLAN_VERSION } from "../core/plan.ts";
import { TOOLCHAINS } from "./languages/registry.ts";

const LAUNCH = join(import.meta.dirname, "../cli/launch.js");
const AWHILE = { timeout: 90_000, interval: 100 };
/** Its name in the environment, which everything that the harness starts inherits. */
const MARK = "LOCKSTORM_TEST_MARK";

let folder: string;
let mark: string;
let harness: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  mark = randomUUID();
});

afterEach(() => {
  harness?.kill("SIGKILL");
  for (const { pid } of marked()) process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Marked {
  readonly pid: number;
  /** Its program. */
  readonly program: string;
  readonly stopped: boolean;
}

/** The processes that the harness has started, and itself. */
function marked(): readonly Marked[] {
  return readdirSync("/proc").flatMap((pid): readonly Marked[] => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${mark}`)) return [];
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
      const [program = ""] = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
      return state === "Z" ? [] : [{ pid: Number(pid), program, stopped: state === "T" }];
    } catch {
      return [];
    }
  });
}

/** Both clients are stopped when the first has the lock, and stay so. */
function writePlan(lock: string): string {
  const sections = [{ key: "k1", ttlMs: 5000, waitMs: 0, steps: [{ do: "hold", forMs: 60_000 }] }];
  const pause = { kind: "pause-client", params: { targets: ["client-0", "client-1"] } };
  const plan = {
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock,
    topology: { kind: "single" },
    clients: [{ sections }, { sections: [] }],
    faults: [{ ...pause, at: { on: "acquire:ok", client: 0 } }],
  };
  const path = join(folder, "plan.json");
  writeFileSync(path, JSON.stringify(plan));
  return path;
}

/** Starts a plan, kills the harness when its workers are stopped, and waits until nothing is left. */
async function killHarnessOver(lock: string, program: RegExp, count: number): Promise<void> {
  const words = [LAUNCH, "replay", writePlan(lock), "--backend", "live", "--store", folder];
  harness = spawn(process.execPath, words, { stdio: "ignore", env: { ...process.env, [MARK]: mark } });
  const stopped = (): number => marked().filter((each) => each.stopped && program.test(each.program)).length;
  await vi.waitFor(() => expect(stopped()).toBe(count), AWHILE);
  const ended = once(harness, "exit");
  harness.kill("SIGKILL");
  await ended;
  await vi.waitFor(() => expect(marked()).toEqual([]), AWHILE);
}

test.each([
  ["python", "redis-py", /python/],
  ["go", "redislock", /lockstorm-locks/],
  ["java", "redisson", /java/],
] as const)(
  "a harness that is killed while a fault has stopped its workers in %s leaves no process",
  async (language, lock, program) => {
    await TOOLCHAINS[language].prepare(() => {});
    await killHarnessOver(lock, program, 2);
  },
);

test("nor does one whose stopped workers have children, and processes whose parent is gone", async () => {
  const lock = join(folder, "forking.worker.json");
  const script = join(import.meta.dirname, "testing/forking_worker.py");
  writeFileSync(lock, JSON.stringify({ command: { program: "python3", arguments: [script] }, topologies: ["single"] }));
  await killHarnessOver(lock, /python/, 2 * 3);
});

test("a run that ends leaves nothing of workers that have children and ignore SIGTERM", async () => {
  const lock = join(folder, "forking.worker.json");
  const script = join(import.meta.dirname, "testing/forking_worker.py");
  writeFileSync(lock, JSON.stringify({ command: { program: "python3", arguments: [script] }, topologies: ["single"] }));
  const flags = ["--backend", "live", "--faults", "none", "--seed", "1", "--runs", "1", "--store", folder];
  const words = [LAUNCH, "hunt", "--lock", lock, ...flags];
  harness = spawn(process.execPath, words, { stdio: "ignore", env: { ...process.env, [MARK]: mark } });
  const [code] = (await once(harness, "exit")) as [number | null];
  expect(code).toBe(0);
  await vi.waitFor(() => expect(marked()).toEqual([]), AWHILE);
});
