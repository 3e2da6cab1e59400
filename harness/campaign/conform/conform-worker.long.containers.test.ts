import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWithEngine } from "../../containers/testing/engine-required.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformWorker } from "./conform-worker.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** What these checks find of the worker for tests with this mistake. */
async function found(mistake: string, ...only: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const lock = join(folder, "a.worker.json");
  const words = [join(import.meta.dirname, "../../external/testing/worker.py"), mistake];
  writeFileSync(lock, JSON.stringify({ command: { program: "python3", arguments: words }, topologies: ["single"] }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformWorker({ lock, topology, seed: 1 }, { only });
  return checks.map(({ outcome, details }) => [outcome, details.join()]);
}

describeWithEngine("conform finds in a Python worker", () => {
  test.each([
    ["blind-release", "foreign-release", "it released the lock of another client"],
    ["long-lease", "validity", "longer than the servers keep the lock"],
    ["certain", "lost-reply", "and the servers hold its lock"],
    ["empty-owner", "grants", "`owner`"],
    ["unqueued", "queue", "and onQueued was not called"],
  ])("%s, by the check %s", async (mistake, check, words) => {
    expect(await found(mistake, check)).toEqual([["mistake", expect.stringContaining(words)]]);
  });

  test("nothing, where there is no mistake", async () => {
    const checks = ["grants", "waiting", "validity", "foreign-release", "lost-reply"];
    const outcomes = await found("", ...checks);
    expect(outcomes.map(([outcome]) => outcome)).toEqual(["passed", "skipped", "passed", "passed", "passed"]);
  });
});
