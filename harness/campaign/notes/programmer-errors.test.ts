import { expect, test } from "vitest";
import type { History } from "../../history/history.ts";
import { programmerErrors } from "./programmer-errors.ts";

const ended = (type: string, reason: string, f = "release") => ({ type, f, key: "k1", process: 0, value: { reason } });
const notesOf = (...events: object[]) => programmerErrors({ events } as unknown as History);

test("an operation that ended by a mistake in the code is told, once for each error", () => {
  const error = "TypeError: held.get(...) is not a function";
  expect(notesOf(ended("info", error), ended("info", error), ended("fail", error, "acquire"))).toEqual([
    { kind: "programmer-error", what: `release ended with ${error}` },
    { kind: "programmer-error", what: `acquire ended with ${error}` },
  ]);
});

test.each([
  ["ReferenceError: lokc is not defined", 1],
  ["Cannot read properties of undefined (reading 'release')", 1],
  ["TypeError: fetch failed", 0],
  ["Error: read ECONNRESET", 0],
  ["no answer in time", 0],
  ["ReplyError: WRONGTYPE Operation against a key", 0],
])("%s: %d", (reason, count) => {
  expect(notesOf(ended("info", reason))).toHaveLength(count);
});

test("an operation that succeeded, and one that is still under way, have none", () => {
  expect(notesOf({ ...ended("ok", "TypeError: x"), value: {} }, ended("invoke", "TypeError: x"))).toEqual([]);
});
