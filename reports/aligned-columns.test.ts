import { expect, test } from "vitest";
import { alignedColumns } from "./aligned-columns.ts";

test("each column is as wide as its widest cell", () => {
  expect(
    alignedColumns([
      ["lock", "runs"],
      ["redlock5", "7"],
    ]),
  ).toEqual(["lock      runs", "redlock5  7   "]);
});

test("figures stand flush right, and a row may be short", () => {
  const rows = [["lock", "runs"], ["a", "7"], ["b"]];
  expect(alignedColumns(rows, (column) => column === 1)).toEqual(["lock  runs", "a        7", "b   "]);
});

test("nothing is no lines", () => {
  expect(alignedColumns([])).toEqual([]);
});
