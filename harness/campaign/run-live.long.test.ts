import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { differences } from "../../workloads/scenario-outcome.ts";
import { startCli } from "../cli/testing/run-cli.ts";
import { RunResources } from "../containers/cleanup/run-resources.ts";
import { kernelState } from "../containers/nodes/kernel-state.ts";
import { runScenario } from "./testing/scenario-live.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

describe("scenarios of the catalogue come out as it says with client processes on simulated servers", () => {
  test.each(["crash-no-persist", "async-failover", "crash-no-fsync", "plain-del", "pause-past-lease", "clock-forward"])(
    "%s",
    async (slug) => {
      for (const variant of ["schedule", "control", "no-faults"] as const) {
        const { scenario, record } = await runScenario(folder, slug, variant);
        expect([variant, differences(scenario, variant, record)]).toEqual([variant, []]);
      }
    },
  );
});

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
