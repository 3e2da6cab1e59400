import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runMain } from "../testing/run-main.ts";
import { ladderCells, rowName, titleOf } from "../../campaign/ladder/cells.ts";

let store: string;
beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), "lockstorm-ladder-"));
});
afterAll(() => rm(store, { recursive: true }));

const hunt = (...words: string[]): ReturnType<typeof runMain> =>
  runMain(["hunt", "--ladder", "--store", store, ...words]);

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
    expect(expected("single", "none")).toBe("outlived");
    expect(expected("watchdog", "none")).toBe("holds");
    expect(expected("watchdog", "pause-client")).toBe("outlived");
    expect(expected("single", "clock-jump")).toBe("broken");
    expect(expected("set-px", "none")).toBe("broken");
    // With the disks that each prescribes.
    expect(expected("redlock", "kill-node")).toBe("broken");
    expect(expected("redlock-fsync", "kill-node")).toBe("outlived");
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
    expect.stringMatching(/^lockstorm: --require cannot be combined with a table of locks/),
  ]);
});

test("former results that are not there are refused before anything is searched", async () => {
  const { code, stdout, stderr } = await hunt("--lock", "setnx", "--former", join(store, "nowhere"));
  expect([code, stdout, stderr]).toEqual([
    254,
    "",
    `lockstorm: ${join(store, "nowhere", "ladder.json")} cannot be read as former results; name a store, or the .json in it\n`,
  ]);
});

test("a limit that does not show in the runs there were is said, and no success", { tags: "long" }, async () => {
  const { code, stdout } = await hunt("--lock", "owner-value-fixed", "--runs", "1");
  expect(stdout).toMatch(/owner-value-fixed under [\w-]+: expected broken, found (?:holds|outlived|unknown) in 1 run/);
  expect(code).toBe(2);
});

test.each([
  ["no-such", "the table has no lock called no-such; name another"],
  // Beside a lock that is a row: without it the table would look as if both had been tested.
  ["set-px,no-such", "the table has no lock called no-such; name another"],
  [
    "set-px,./my-lock.ts",
    "a table has no row for the driver ./my-lock.ts; hunt it alone: --lock ./my-lock.ts without --ladder or --all",
  ],
  [
    "set-px,redlock --topology=single",
    "the table has no lock called redlock, because it does not run on single; leave it out, or name another topology",
  ],
  [
    "set-px,get-then-set",
    "the table has no lock called get-then-set, because it is no lock of the ladder; use --all in place of --ladder",
  ],
])("a lock that would be no row is refused in one line: --lock %s", async (words, refusal) => {
  const { code, stdout, stderr } = await hunt("--lock", ...words.split(" "));
  expect([code, stdout, stderr]).toEqual([254, "", `lockstorm: ${refusal}\n`]);
});
