import { describe, expect, test } from "vitest";
// As in the command line, the simulation has patched the platform.
import "../run-simulated.ts";
import { foundInWorker } from "./testing/found-in-worker.ts";

describe("conform finds in a Python worker on simulated servers", () => {
  test.each([
    ["long-lease", "validity", "longer than the servers keep the lock"],
    ["empty-owner", "grants", "`owner`"],
    ["die", "grants", "the worker ended: exit code 7"],
  ])("%s, by the check %s", async (mistake, check, words) => {
    expect(await foundInWorker(mistake, "live", check)).toEqual([["mistake", expect.stringContaining(words)]]);
  });

  test("nothing, where there is no mistake", async () => {
    const outcomes = await foundInWorker("", "live", "grants", "waiting", "contention");
    expect(outcomes.map(([outcome]) => outcome)).toEqual(["passed", "passed", "skipped"]);
  });
});
