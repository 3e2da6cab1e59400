import { expect, test } from "vitest";
import { CellNotes } from "./cell-notes.ts";

test("a search that was interrupted goes on counting where it was", () => {
  const before = { runs: 50, valid: 49, notes: [{ kind: "outlived", what: "a write came late", runs: 3 }] } as const;
  const continued = new CellNotes(before);
  expect(continued.progress).toEqual(before);
  expect(continued.holding).toEqual({ found: "outlived", ...before });
  expect(new CellNotes().holding).toEqual({ found: "unknown", runs: 0, valid: 0 });
});
