import { expect, test } from "vitest";
import { UserError } from "../../core/errors.ts";
import { pathText, readSchedulePath } from "./schedule-path.ts";

test.each([
  ["", []],
  ["7", [{ family: 7 }]],
  ["12@183.5/4", [{ family: 12, lengthMs: 183.5 }, { family: 4 }]],
])("%j is a path, and back", (text, path) => {
  expect(readSchedulePath(text)).toEqual(path);
  expect(pathText(path)).toBe(text);
});

test.each(["x", "1@", "1@2@3", "1/", "-1", "1@1e9"])("%j is none", (text) => {
  expect(() => readSchedulePath(text)).toThrow(UserError);
});
