import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { topologySchema } from "../../core/topology.ts";
// As in the command line, the simulation has patched the platform.
import "../run-simulated.ts";
import { conformWorker } from "./conform-worker.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** What these checks find of the worker for tests with this mistake, without a container engine. */
async function found(mistake: string, ...only: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const lock = join(folder, "a.worker.json");
  const words = [join(import.meta.dirname, "../../external/testing/worker.py"), mistake];
  writeFileSync(lock, JSON.stringify({ command: { program: "python3", arguments: words }, topologies: ["single"] }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformWorker({ lock, topology, seed: 1 }, { only, backend: "live" });
  return checks.map(({ outcome, details }) => [outcome, details.join()]);
}

describe("conform finds in a Python worker on simulated servers", () => {
  test.each([
    ["long-lease", "validity", "longer than the servers keep the lock"],
    ["empty-owner", "grants", "`owner`"],
    ["die", "grants", "the worker ended: exit code 7"],
  ])("%s, by the check %s", async (mistake, check, words) => {
    expect(await found(mistake, check)).toEqual([["mistake", expect.stringContaining(words)]]);
  });

  test("nothing, where there is no mistake", async () => {
    const outcomes = await found("", "grants", "waiting", "contention");
    expect(outcomes.map(([outcome]) => outcome)).toEqual(["passed", "passed", "skipped"]);
  });
});
