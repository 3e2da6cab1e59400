import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { replayCommandOf, shellWord } from "./shell-word.ts";

test.each([
  ".lockstorm/runs/2026-11-27T01-16-35-1/plan.json",
  "C:\\Users\\RUNNER~1\\plan.json",
  "./übung/замок.ts",
  "pause-client,failover",
])("%s stands as it is", (text) => {
  expect(shellWord(text)).toBe(text);
});

test.each([
  "",
  "my locks/plan.json",
  "it's",
  "$(touch x)`touch y`",
  'a"b;c&d|e>f<g*h?i[j]k{l}m#n!o',
  "~/plan.json",
  "a\\$HOME",
  "a\nb\u001b[31m\u202e",
  "'",
])("a shell reads %j as one word, and nothing else", (text) => {
  expect(shellWord(text)).not.toBe(text);
  expect(execFileSync("sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" })).toBe(text);
});

test("the command that replays a plan names any file", () => {
  expect(replayCommandOf("it's $(1)/plan.json")).toBe(`npx lockstorm replay 'it'\\''s $(1)/plan.json'`);
});
