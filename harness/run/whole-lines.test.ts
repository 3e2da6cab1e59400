import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { endOfWholeLines, wholeLines } from "./whole-lines.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstorm-lines-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const path = join(folder, "lines");
  writeFileSync(path, text);
  return path;
}

/** Longer than what is read at a time, with letters of several bytes across its borders. */
const long = "ä€".repeat(20_000);

test.each([
  ["nothing", "", []],
  ["one line", "one\n", ["one"]],
  ["a torn line", "one\ntw", ["one"]],
  ["only a torn line", "one", []],
  ["an empty line", "one\n\ntwo\n", ["one", "", "two"]],
  ["a line longer than a part", `one\n${long}\ntwo\n`, ["one", long, "two"]],
  ["a long torn line", `one\n${long}`, ["one"]],
])("%s", (_, text, lines) => {
  const path = written(text);
  expect([...wholeLines(path)]).toEqual(lines);
  expect(endOfWholeLines(path)).toBe(Buffer.byteLength(lines.map((line) => `${line}\n`).join("")));
});

test("lines that fill many parts come out as they were written", () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `${index} ${"x".repeat(index % 97)}`);
  expect([...wholeLines(written(`${lines.join("\n")}\n`))]).toEqual(lines);
});
