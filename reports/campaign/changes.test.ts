import { expect, test } from "vitest";
import { changeLines, changesSince, renderChanges } from "./changes.ts";
import type { SummaryCell } from "./summary.ts";

const cell = (lock: string, found: SummaryCell["found"], fault = "none"): SummaryCell => ({ lock, fault, found });
const FORMER = [
  cell("stays", "broken"),
  cell("stays", "unknown", "failover"),
  cell("gone", "broken"),
  cell("breaks", "holds"),
  cell("mended", "broken"),
  cell("lost", "broken"),
];
const NOW = [
  cell("stays", "broken"),
  cell("stays", "broken", "failover"),
  cell("breaks", "broken"),
  cell("mended", "holds"),
  cell("lost", "unknown"),
  cell("fresh", "broken"),
];

test("new is what did not break then, known what did, and fixed what holds now; unknown is neither, and what was not there both times is not compared", () => {
  expect(changesSince(FORMER, NOW)).toEqual({
    new: [
      { lock: "stays", fault: "failover" },
      { lock: "breaks", fault: "none" },
    ],
    known: [{ lock: "stays", fault: "none" }],
    fixed: [{ lock: "mended", fault: "none" }],
  });
});

test("they are told in words, what is known as a number", () => {
  const text = renderChanges(changesSince(FORMER, NOW), { color: false, width: 80 });
  expect(text.split("\n")).toEqual([
    "Compared with the former results",
    "  new: stays under failover",
    "  new: breaks under none",
    "  fixed: mended under none",
    "  known: 1 cell broken as before",
    "",
  ]);
  expect(changeLines(changesSince([], []))).toEqual(["new: none", "fixed: none", "known: 0 cells broken as before"]);
});
