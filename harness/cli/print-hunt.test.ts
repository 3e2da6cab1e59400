import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runMain } from "./testing/run-main.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-print-hunt-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const hunt = (...words: readonly string[]) =>
  runMain(["hunt", "--seed", "1", "--threads", "1", ...words], { cwd: folder });

test("a hunt that drew no plan at random says that it gives no bound, and what would", async () => {
  const { code, stdout } = await hunt("--lock", "single", "--runs", "2");
  expect(code).toBe(0);
  expect(stdout.replaceAll("\n", " ")).toContain(
    "no property that the lock claims was violated: these plans were taken in order, not drawn at random, so they give no bound for other plans; a hunt with more --runs also draws some. Seed 1.",
  );
});

test("the properties of a counterexample stand in columns, also beside the longest name", async () => {
  const { code, stdout } = await hunt("--lock", "fair-stack", "--runs", "2", "--shrink-runs", "0");
  expect(code).toBe(1);
  const rows = stdout.split("\n").filter((line) => /^ {2}[✓✗-] [a-z]+-[a-z-]+ +(?:holds|broken|n\/a)/.test(line));
  expect(rows.length).toBeGreaterThan(8);
  const columns = rows.map((row) => row.search(/ (?:holds|broken|n\/a)/));
  expect(new Set(columns).size).toBe(1);
  // The line that counts the runs stands alone.
  expect(stdout).toMatch(/\n\n\d runs?: /);
});

test("a hunt in which no run tested a property that the lock promises says so, as text and as JSON", async () => {
  // Of a lock that is asked once, by nobody who waits: a plan of the first deviations.
  const words = ["--lock", "fair", "--runs", "1", "--faults", "none", "--require", "lease-exclusion,all-or-nothing"];
  const { code, stdout } = await hunt(...words);
  expect(code).toBe(0);
  expect(stdout).toContain("no property that the lock claims was violated, but no run tested all-or-nothing: ");
  expect(stdout).toContain("Tested by no run, so that the verdict says nothing about it\n  - all-or-nothing: 1 run\n");
  const { notes } = JSON.parse((await hunt(...words, "--json")).stdout) as { notes: readonly unknown[] };
  expect(notes).toContainEqual({ kind: "untested", what: "all-or-nothing", runs: 1 });
});

test("a hunt that ended early says how it goes on", async () => {
  const { stdout } = await hunt("--lock", "single", "--runs", "1000", "--budget", "1ms");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "(ended early: the budget was used up; the same command with --resume goes on)",
  );
});
