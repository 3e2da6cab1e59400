import { expect, test } from "vitest";
import { HarnessError, UserError } from "../core/errors.ts";
import { ownedError, ownedUnawaited } from "./foreign-error.ts";

const OURS = new URL("../campaign/execute.ts", import.meta.url).href;
const LIBRARY = new URL("../../node_modules/ioredis/built/Redis.js", import.meta.url).href;
const DRIVER = "file:///home/somebody/my%20lock.mjs";
const NODES = "node:internal/process/task_queues";

function thrown(...places: readonly string[]): Error {
  const error = new Error("no way");
  error.stack = `Error: no way\n${places.map((place) => `    at f (${place}:3:7)`).join("\n")}`;
  return error;
}

test.each([
  ["a driver", [DRIVER, OURS]],
  ["a driver, without a function", [NODES, DRIVER, OURS]],
  ["a library that a driver called", [LIBRARY, DRIVER, OURS]],
])("what %s throws is the driver's, with its file and line", (_, places) => {
  const owned = ownedError(thrown(...places));
  expect(owned).toBeInstanceOf(UserError);
  expect(owned).toMatchObject({
    message: "/home/somebody/my lock.mjs:3 threw: no way",
    hint: "fix the driver, or what it imports",
  });
});

test.each([
  ["our own error, although a driver called", thrown(OURS, DRIVER)],
  ["a library's that we called", thrown(LIBRARY, OURS, DRIVER)],
  ["one that knows no place", thrown(NODES)],
  ["what is no error", "no way"],
  ["one that is explained already", new UserError("no way", "another")],
  ["one of the harness", new HarnessError("no way")],
])("%s stays what it is", (_, error) => {
  expect(ownedError(error)).toBe(error);
});

test("what nobody awaited is of the first who had it: a driver or a library", () => {
  const words = "while nobody waited for it: no way";
  expect(ownedUnawaited(thrown(DRIVER, OURS))).toMatchObject({
    message: `/home/somebody/my lock.mjs:3 threw, or rejected a promise, ${words}`,
  });
  expect(ownedUnawaited(thrown(LIBRARY, OURS))).toMatchObject({
    message: expect.stringContaining("Redis.js:3 threw, or rejected a promise") as string,
  });
  const own = thrown(OURS, DRIVER);
  expect(ownedUnawaited(own)).toBe(own);
});
