import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Cell, ladderCells, rowName } from "./cells.ts";

const SYMBOLS: Readonly<Record<string, Cell["expected"]>> = { "✓": "holds", "○": "outlived", "✗": "broken" };

/** `npm start` fails where a cell comes out otherwise than expected; where the claims say nothing, nothing is expected. */
test("the README's table of locks and faults shows what is expected of each cell", () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const rows = [...readme.matchAll(/^ {6}([a-z][\w-]*(?: \(\w+\))?) {2,}((?:[✓○✗] *)+)$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  const cells = ladderCells({ all: false, backend: "simulated" });
  for (const [, name = "", outcomes = ""] of rows) {
    const shown = outcomes.split(/ +/).map((symbol) => SYMBOLS[symbol]);
    const expected = cells
      .filter((cell) => rowName(cell) === name)
      .map((cell, column) => cell.expected ?? shown[column]);
    expect({ name, shown }).toEqual({ name, shown: expected });
  }
});
