import { expect, test } from "vitest";
import type { RunNote } from "../../core/run-note.ts";
import { isDecided, tally } from "./tally.ts";

const slow: RunNote = { kind: "outlived", what: "no client wrote" };
const skipped: RunNote = { kind: "undecided", what: "reset was skipped" };
const idle: RunNote = { kind: "undecided", what: "no lock was ever contended" };

test("counts notes by kind, the most frequent first, with the first run that was kept", () => {
  const runs = [
    { notes: [slow, idle], folder: "one" },
    {},
    { notes: [skipped] },
    { notes: [skipped], folder: "two" },
    { notes: [slow], folder: "three" },
  ];
  expect(tally(runs)).toEqual([
    { ...skipped, runs: 2, folder: "two" },
    { ...idle, runs: 1, folder: "one" },
    { ...slow, runs: 2, folder: "one" },
  ]);
});

test.each([
  [0, 0, false],
  [1, 0, true],
  [10, 10, true],
  [10, 11, false],
  [10, 50, false],
  [0, 3, false],
])("%i valid and %i unknown runs: decided %s", (valid, unknown, decided) => {
  expect(isDecided({ valid, unknown, notes: [] })).toBe(decided);
});

test.each([
  ["crashed a client of its own", { kind: "crashed", what: "uncaughtException: Error: boom" }],
  ["flooded a server", { kind: "flooded", what: "client sent N messages to node within N ms" }],
] as const)("a campaign in which the lock %s is never called valid", (_, note) => {
  expect(isDecided({ valid: 10, unknown: 1, notes: [note] })).toBe(false);
});
