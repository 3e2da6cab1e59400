import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { renderTable, type Table } from "./table.ts";

const table: Table = {
  title: "Rates",
  columns: [
    { key: "what", title: "what" },
    { key: "rate", title: "runs/s" },
    { key: "ratio", title: "ratio", digits: 1 },
  ],
  rows: [
    { what: "small", rate: [900, 1200.4, 1000], ratio: 31.26 },
    { what: "largest", rate: [7], ratio: undefined },
    { what: "none", rate: [], ratio: "NO ENGINE" },
  ],
};

test("words stand left, figures right, several as median and range", () => {
  expect(stripVTControlCharacters(renderTable(table)).split("\n")).toEqual([
    "Rates",
    "what                 runs/s      ratio",
    "small    1,000 [900..1,200]       31.3",
    "largest                   7          -",
    "none                      -  NO ENGINE",
    "",
  ]);
});

test("what failed and what was not measured is said loudly, below", () => {
  const text = renderTable({ ...table, notes: ["a note"], failures: ["a control broke"], lacks: ["no engine"] });
  expect(stripVTControlCharacters(text).split("\n").slice(-4)).toEqual([
    "a note",
    "NOT MEASURED: no engine",
    "FAILED: a control broke",
    "",
  ]);
});
