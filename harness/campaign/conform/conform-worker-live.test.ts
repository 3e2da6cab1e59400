import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
// As in the command line, the simulation has patched the platform.
import "../run-simulated.ts";
import { foundInStatedWorker, foundInWorker } from "./testing/found-in-worker.ts";

describe("conform finds in a Python worker on simulated servers", () => {
  test.each([
    ["long-lease", "validity", "longer than the servers keep the lock"],
    ["empty-owner", "grants", "`owner`"],
  ])("%s, by the check %s", { tags: "long" }, async (mistake, check, words) => {
    expect(await foundInWorker(mistake, "live", check)).toEqual([["mistake", expect.stringContaining(words)]]);
  });

  test("a crash, and keeps the log that it names", { tags: "long" }, async () => {
    const [[, crash] = []] = await foundInWorker("die", "live", "grants");
    expect(crash).toContain("the worker ended: exit code 7");
    const [, log = ""] = /what it printed is in (\S+\.log)/.exec(crash ?? "") ?? [];
    expect(readFileSync(log, "utf8")).toContain("the worker dies");
    rmSync(dirname(dirname(log)), { recursive: true });
  });

  test("nothing, where a client cannot connect once: the check is tried again", { tags: "long" }, async () => {
    expect(await foundInWorker("refuse-once", "live", "grants", "validity")).toEqual([
      ["passed", ""],
      ["passed", ""],
    ]);
  });

  test.each([
    ["late-once", ["passed", ""]],
    ["late", ["mistake", expect.stringMatching(/^acquire took 3,\d\d\d ms, although waitMs was 0$/)]],
  ])("a refusal that is %s: it is no mistake if it is not late again", { tags: "long" }, async (mistake, found) => {
    expect(await foundInWorker(mistake, "live", "contention")).toEqual([found]);
  });

  test("nothing, where leases are whole seconds, as the worker says", { tags: "long" }, async () => {
    expect(await foundInWorker("seconds", "live", "grants", "validity")).toEqual([
      ["passed", ""],
      ["passed", ""],
    ]);
  });

  test("nothing about leases, where the worker file says that the lock has none", { tags: "long" }, async () => {
    const [[outcome] = []] = await foundInWorker("endless", "live", "validity");
    expect(outcome).toBe("remark");
    const stated = await foundInStatedWorker("endless", { leases: false }, "live", "validity");
    expect(stated).toEqual([["skipped", "the lock is said to have no leases"]]);
  });

  test("nothing, where there is no mistake, and keeps no log", { tags: "long" }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
    vi.stubEnv("TMPDIR", folder);
    const outcomes = await foundInWorker("", "live", "grants", "waiting", "contention");
    expect(outcomes.map(([outcome]) => outcome)).toEqual(["passed", "passed", "skipped"]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
    vi.unstubAllEnvs();
  });
});
