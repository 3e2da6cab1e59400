import { expect, test } from "vitest";
import { wrap } from "./text-style.ts";

test("a text is broken at spaces, a word that is too long within", () => {
  expect(wrap("the lease ended", 9)).toEqual(["the lease", "ended"]);
  expect(wrap("abcdefghijk l", 4)).toEqual(["abcd", "efgh", "ijk", "l"]);
  expect(wrap("", 4)).toEqual([]);
});

test("a command at the end is not broken, however long", () => {
  const command = "npx lockstorm replay store/runs/a/plan.json";
  expect(wrap(`2 runs, first: ${command}`, 60)).toEqual([`2 runs, first: ${command}`]);
  expect(wrap(`2 runs, first: ${command}`, 50)).toEqual(["2 runs, first:", command]);
  expect(wrap(`2 runs, first: ${command}`, 20)).toEqual(["2 runs, first:", command]);
  expect(wrap(command, 20)).toEqual([command]);
});

test("a command within a sentence is words like others", () => {
  expect(wrap("first npx lockstorm setup, then again", 15)).toEqual(["first npx", "lockstorm", "setup, then", "again"]);
  expect(wrap("Run npx lockstorm setup.", 15)).toEqual(["Run npx", "lockstorm", "setup."]);
  expect(wrap("type pnpx lockstorm setup", 15)).toEqual(["type pnpx", "lockstorm setup"]);
});
