// @module-tag long
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { RunResources } from "../../containers/cleanup/run-resources.ts";
import { kernelState } from "../../containers/nodes/kernel-state.ts";
import { startCli } from "../testing/run-cli.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

test("a stopped client does not outlive a harness that is killed, without a container engine", async () => {
  const cache = join(folder, "cache");
  const plan = {
    ...{ format: "lockstorm-plan", version: 1, seed: 1, lock: "single", topology: { kind: "single" } },
    clients: [{ sections: [{ key: "k", ttlMs: 5000, waitMs: 0, steps: [], after: { atMs: 600_000 } }] }],
    faults: [{ kind: "pause-client", params: { targets: ["client-0"] }, at: { atMs: 0 } }],
    limitMs: 600_000,
  };
  writeFileSync(join(folder, "plan.json"), JSON.stringify(plan));
  const env = { XDG_CACHE_HOME: cache, DOCKER_HOST: "unix:///nowhere.sock" };
  const { child, result } = startCli(["replay", join(folder, "plan.json"), "--backend", "live", "--store", folder], {
    env,
  });
  vi.stubEnv("XDG_CACHE_HOME", cache);
  const clients = (): readonly number[] =>
    RunResources.all().flatMap(({ processes }) => processes.map(({ pid }) => pid));
  await expect.poll(() => clients().map(kernelState), { timeout: 60_000 }).toEqual(["paused"]);
  const [client = 0] = clients();
  child.kill("SIGKILL");
  await result;
  await expect
    .poll(() => existsSync(`/proc/${client}`) && kernelState(client) !== "dead", { timeout: 60_000 })
    .toBe(false);
  await expect.poll(() => readdirSync(join(cache, "lockstorm", "runs")), { timeout: 60_000 }).toEqual([]);
});
