// @module-tag long
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isSurprise, type Summary } from "../../../reports/campaign/summary.ts";
import { runCli, startCli } from "../testing/run-cli.ts";
import { ladderCells } from "../../campaign/ladder/cells.ts";

let store: string;
beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), "lockstorm-ladder-"));
});
afterAll(() => rm(store, { recursive: true }));

const hunt = (...words: string[]): ReturnType<typeof runCli> =>
  runCli(["hunt", "--ladder", "--store", store, ...words]);

test("every cell comes out as claimed, in whichever thread it is searched", async () => {
  const [once, again] = await Promise.all([
    hunt("--lock", "set-px,redlock-fsync", "--json"),
    hunt("--lock", "set-px,redlock-fsync", "--json"),
  ]);
  expect(once.code).toBe(0);
  const { cells } = JSON.parse(once.stdout) as Summary;
  expect(cells.length).toBe(
    ladderCells({ all: false, backend: "simulated", only: ["set-px", "redlock-fsync"] }).length,
  );
  expect(cells.filter(isSurprise)).toEqual([]);
  // The second result is compared with the first, save how long each cell took.
  const timeless = (JSON.parse(again.stdout) as Summary).cells.map((cell, index) => ({
    ...cell,
    elapsedMs: cells[index]?.elapsedMs,
  }));
  expect(timeless).toEqual(cells);
  expect(existsSync(join(store, "ladder.html"))).toBe(true);
});

test("a lock that promises more is not the worse one: a client that outlives its lease is nobody's cross", async () => {
  const { stdout } = await hunt(
    "--lock",
    "single,watchdog",
    "--topology",
    "single",
    "--faults",
    "pause-client",
    "--json",
  );
  const { cells, notes = [] } = JSON.parse(stdout) as Summary;
  const found = (lock: string): readonly unknown[] =>
    cells.filter((cell) => cell.lock.startsWith(lock)).map((cell) => cell.found);
  expect(found("single")).toEqual(["outlived", "outlived"]);
  expect(found("watchdog")).toEqual(["holds", "outlived"]);
  for (const { valid = 0, runs = 0 } of cells) expect([valid > 10, valid <= runs]).toEqual([true, true]);
  expect(notes).toContainEqual(expect.objectContaining({ kind: "outlived", place: "single (single) under no fault" }));
});

test("shows one violation of each broken row, and the table", async () => {
  const { code, stdout, stderr } = await hunt("--lock", "redlock-delayed-restart");
  expect([code, stdout.match(/^INVALID {2}redlock-delayed-restart under /gm)?.length]).toEqual([0, 1]);
  expect(stdout).toContain("Locks by faults");
  expect(stdout).toContain("Everything is as expected.");
  expect(stdout).toContain("ladder.html");
  expect(stderr).toMatch(/^redlock-delayed-restart: broken under .*clock-jump/m);
});

test("interrupted, it shows what it has found so far", async () => {
  const { child, result, says } = startCli(["hunt", "--ladder", "--store", store, "--runs", "200"]);
  await says("setnx: broken under ");
  child.kill("SIGINT");
  const { stdout, stderr } = await result;
  expect(stdout).toContain("Locks by faults");
  expect(stdout).toContain("setnx");
  expect(stderr).not.toMatch(/^ +at /m);
});
