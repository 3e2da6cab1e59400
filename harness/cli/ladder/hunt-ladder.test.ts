import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Summary, SummaryCell } from "../../../reports/summary.ts";
import { runCli, startCli } from "../testing/run-cli.ts";
import { ladderCells, rowName, titleOf } from "./cells.ts";

vi.setConfig({ testTimeout: 120_000 });

let store: string;
beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), "lockstorm-ladder-"));
});
afterAll(() => rm(store, { recursive: true }));

const hunt = (...words: string[]): ReturnType<typeof runCli> =>
  runCli(["hunt", "--ladder", "--store", store, ...words]);

describe("the cells", () => {
  const expected = (lock: string, fault: string): string | undefined =>
    ladderCells({ all: false, backend: "simulated", only: [lock] }).find(
      (cell) => (cell.fault?.kind ?? "none") === fault,
    )?.expected;

  test("name each lock, topology and fault once", () => {
    const names = ladderCells({ all: true, backend: "simulated" }).map(
      (cell) => `${rowName(cell)} ${cell.fault?.kind}`,
    );
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("redlock undefined");
    expect(names).toContain("single (sentinel) failover");
    expect(names).not.toContain("single (single) failover");
  });

  test("expect what is claimed, and known limits", () => {
    expect(expected("single", "none")).toBe("holds");
    expect(expected("single", "clock-jump")).toBe("broken");
    expect(expected("set-px", "none")).toBe("broken");
    // With the disks that each prescribes.
    expect(expected("redlock", "kill-node")).toBe("broken");
    expect(expected("redlock-fsync", "kill-node")).toBe("holds");
  });
});

test("cells of one topology, of some faults, of a backend", () => {
  const names = (scope: Omit<Parameters<typeof ladderCells>[0], "all">): readonly string[] =>
    ladderCells({ all: false, only: ["single"], ...scope }).map(titleOf);
  expect(names({ backend: "simulated", topology: "single", faults: ["clock-rate", "eviction"] })).toEqual([
    "single (single) under no fault",
    "single (single) under clock-rate",
    "single (single) under eviction",
  ]);
  expect(names({ backend: "containers", faults: ["clock-rate"] })).toEqual([
    "single (single) under no fault",
    "single (sentinel) under no fault",
  ]);
});

test("what goes with the hunt for one lock only is refused, and not ignored", async () => {
  const { code, stderr } = await hunt("--require", "mutual-exclusion");
  expect([code, stderr]).toEqual([
    254,
    expect.stringMatching(/^lockstorm: --require does not go with a table of locks/),
  ]);
});

test("every cell comes out as claimed, in whichever thread it is searched", async () => {
  const [once, again] = await Promise.all([
    hunt("--lock", "set-px,redlock-fsync", "--json"),
    hunt("--lock", "set-px,redlock-fsync", "--json"),
  ]);
  expect(once.code).toBe(0);
  const { cells } = JSON.parse(once.stdout) as Summary;
  const wrong = ({ expected, found }: SummaryCell): boolean => expected !== undefined && expected !== found;
  expect(cells.length).toBe(
    ladderCells({ all: false, backend: "simulated", only: ["set-px", "redlock-fsync"] }).length,
  );
  expect(cells.filter(wrong)).toEqual([]);
  // Whichever came second compares itself with the other.
  expect((JSON.parse(again.stdout) as Summary).cells).toEqual(cells);
  expect(existsSync(join(store, "ladder.html"))).toBe(true);
});

test("shows one violation of each broken row, and the table", async () => {
  const { code, stdout, stderr } = await hunt("--lock", "redlock-delayed-restart");
  expect([code, stdout.match(/^INVALID {2}redlock-delayed-restart under /gm)?.length]).toEqual([0, 1]);
  expect(stdout).toContain("Locks by faults");
  expect(stdout).toContain("Everything is as expected.");
  expect(stdout).toContain("ladder.html");
  expect(stderr).toContain("redlock-delayed-restart under clock-jump");
});

test("a limit that does not show in the runs there were is said, and no success", async () => {
  const { code, stdout } = await hunt("--lock", "owner-value-fixed", "--runs", "1");
  expect(stdout).toMatch(/owner-value-fixed under [\w-]+: expected broken, found (?:holds|unknown) in 1 run/);
  expect(code).toBe(2);
});

test("interrupted, it shows what it has found so far", async () => {
  const { child, result, says } = startCli(["hunt", "--ladder", "--store", store, "--runs", "200"]);
  await says("5 of ");
  child.kill("SIGINT");
  const { stdout, stderr } = await result;
  expect(stdout).toContain("Locks by faults");
  expect(stdout).toContain("setnx");
  expect(stderr).not.toMatch(/^ +at /m);
});

test("no lock of that name is refused in one line", async () => {
  const { code, stderr } = await hunt("--lock", "no-such");
  expect([code, stderr]).toEqual([254, "lockstorm: no lock of the table is called no-such; name another\n"]);
});
