// @module-tag long
import { expect, test } from "vitest";
import { describeWithEngine } from "../../containers/testing/engine-required.ts";
import { foundInWorker } from "./testing/found-in-worker.ts";

describeWithEngine("conform finds in a Python worker", () => {
  test.each([
    ["blind-release", "foreign-release", "it released the lock of another client"],
    ["long-lease", "validity", "longer than the servers keep the lock"],
    ["certain", "lost-reply", "and the servers hold its lock"],
    ["empty-owner", "grants", "`owner`"],
    ["unqueued", "queue", "and onQueued was not called"],
  ])("%s, by the check %s", async (mistake, check, words) => {
    expect(await foundInWorker(mistake, "containers", check)).toEqual([["mistake", expect.stringContaining(words)]]);
  });

  test("nothing, where there is no mistake", async () => {
    const checks = ["grants", "waiting", "validity", "foreign-release", "lost-reply"];
    const outcomes = await foundInWorker("", "containers", ...checks);
    expect(outcomes.map(([outcome]) => outcome)).toEqual(["passed", "skipped", "passed", "passed", "passed"]);
  });
});
