import { expect, test } from "vitest";
import { noteKept } from "./simulated-executor.ts";

test("an interruption names one kept history, however many threads it stops in the middle of a run", () => {
  const notes: string[] = [];
  const progress = { step: () => {}, note: (line: string) => notes.push(line) };
  const { signal } = new AbortController();
  noteKept("runs/1/history.jsonl", { progress, signal });
  noteKept("runs/2/history.jsonl", { progress, signal });
  noteKept("runs/3/history.jsonl", { progress, signal: new AbortController().signal });
  expect(notes).toEqual(
    [1, 3].map((run) => `the history so far is kept: npx lockstorm check runs/${run}/history.jsonl`),
  );
});
