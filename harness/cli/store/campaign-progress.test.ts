import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { JournalFollower } from "./campaign-progress.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstorm-progress-"));
afterAll(() => rmSync(folder, { recursive: true }));

const HUNT = { kind: "hunt", parameters: { lock: "single", seed: 3, runs: 10, regressions: ["a"] } };

test("a hunt is followed while it grows, a torn line when it is whole", () => {
  const file = join(folder, "hunt.jsonl");
  const follower = new JournalFollower(file);
  expect(follower.progress()).toEqual({ about: "has not begun", done: 0 });
  writeFileSync(file, `${JSON.stringify(HUNT)}\n{"position":0,"verdict":"valid"}\n{"position":1,"ver`);
  expect(follower.progress()).toEqual({
    about: "hunt, single, seed 3: 1 of 11 runs done, 1 valid",
    done: 1,
    wanted: 11,
  });
  appendFileSync(file, `dict":"unknown"}\n`);
  expect(follower.progress().about).toBe("hunt, single, seed 3: 2 of 11 runs done, 1 valid, 1 unknown");
  writeFileSync(file, `${JSON.stringify({ ...HUNT, shard: { index: 2, count: 4 } })}\n`);
  expect(follower.progress()).toMatchObject({ about: "hunt, single, seed 3, shard 2 of 4: 0 of 3 runs done", done: 0 });
});

test("a hunt that found its counterexample has ended: it waits for no further run", () => {
  const file = join(folder, "found.jsonl");
  const entries = [
    { position: 0, verdict: "valid" },
    { position: 1, verdict: "invalid", shrinks: 3, folder: "runs/x" },
  ];
  writeFileSync(file, [HUNT, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(new JournalFollower(file).progress()).toEqual({
    about: "hunt, single, seed 3: counterexample found after 2 runs, 1 valid, 1 invalid",
    done: 2,
    wanted: 2,
  });
});

test("of a table the cells count, not the parts of their searches", () => {
  const file = join(folder, "ladder.jsonl");
  const entries = [
    { cell: 0, searched: { runs: 5, valid: 5, notes: [] } },
    { cell: 0, outcome: { found: "holds", runs: 9 } },
    { cell: 1, outcome: { found: "broken", runs: 2 } },
    { cell: 1, shrunk: "runs/x" },
  ];
  const header = { kind: "ladder", parameters: { seed: 1, cells: ["a", "b", "c"] } };
  writeFileSync(file, [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(new JournalFollower(file).progress()).toEqual({
    about: "ladder, seed 1: 2 of 3 cells done, 1 holds, 1 broken",
    done: 2,
    wanted: 3,
  });
});

test("of an exploration the schedules count: the workload as it is, and those of each part", () => {
  const file = join(folder, "explore.jsonl");
  const header = { kind: "exploration", parameters: { lock: "single", seed: 1 } };
  const first = { opened: "", schedule: { outcome: "valid" }, kept: [0, 1] };
  writeFileSync(file, [header, first].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const follower = new JournalFollower(file);
  expect(follower.progress().about).toBe("exploration, single, seed 1: 1 schedule done, 1 valid");
  const more = [
    { extended: "", family: 0, schedules: [{ outcome: "valid" }, { outcome: "unknown" }] },
    { opened: "0@5", schedule: { outcome: "valid" }, kept: [] },
    { extended: "", family: 1, schedules: [{ outcome: "invalid" }] },
    { broken: "1@5", folder: "runs/x" },
  ];
  appendFileSync(file, more.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(follower.progress().about).toBe(
    "exploration, single, seed 1: 4 schedules done, 2 valid, 1 unknown, 1 invalid",
  );
});

test("what is no journal is refused", () => {
  const file = join(folder, "other.jsonl");
  writeFileSync(file, "{}\n");
  expect(() => new JournalFollower(file).progress()).toThrow();
});
