import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import ownTemporaryFolder from "./temporary-folder.ts";

test("tests make their temporary files in a folder of the run", () => {
  expect(basename(tmpdir())).toMatch(/^lockstorm-tests-/);
});

test("what a test left behind is removed at the end, and the folder before is used again", () => {
  const before = tmpdir();
  const end = ownTemporaryFolder();
  const left = mkdtempSync(join(tmpdir(), "left-"));
  expect(dirname(dirname(left))).toBe(before);

  end();

  expect(existsSync(dirname(left))).toBe(false);
  expect(tmpdir()).toBe(before);
});
