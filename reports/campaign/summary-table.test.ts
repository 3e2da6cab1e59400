import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { cellWords, type Summary } from "./summary.ts";
import { renderSummaryTable } from "./summary-table.ts";

const summary: Summary = {
  title: "Hunt",
  cells: [
    { lock: "set-px", fault: "none", expected: "holds", found: "holds", runs: 20 },
    { lock: "set-px", fault: "pause-client", expected: "broken", found: "broken", runs: 3 },
    { lock: "fenced", fault: "none", expected: "holds", found: "broken", runs: 4, note: "double-grant" },
    { lock: "fenced", fault: "failover", expected: "broken", found: "unknown", runs: 5, note: "no contention" },
    { lock: "mine", fault: "pause-client", found: "broken", runs: 1 },
  ],
};

test("rows are locks, columns are faults, and a blank is what was not run", () => {
  expect(renderSummaryTable(summary, { color: false, width: 80 })).toBe(
    [
      "Hunt",
      "",
      "          none",
      "          │  pause-client",
      "          │  │  failover",
      "  set-px  ✓  ✗",
      "  fenced  ✗!    ?",
      "  mine       ✗",
      "",
      "  ✓ holds: 1, ✗ broken: 3, ? unknown: 1, ! not as expected, blank: not run, 33 runs in all",
      "",
      "Not as expected",
      "  - fenced under none: expected holds, found broken in 4 runs (double-grant)",
      "  - fenced under failover: expected broken, found unknown in 5 runs (no contention)",
      "",
    ]
      .join("\n")
      .replace(", 33 runs", ",\n  33 runs")
      .replace("(no contention)", "(no\n    contention)"),
  );
});

test("a known limit that real servers did not show is marked, and no surprise; where a lock should hold it is one", () => {
  const cell = { lock: "redlock", fault: "restart-node", found: "simulated", runs: 3 } as const;
  const options = { color: false, width: 120 };
  const known = renderSummaryTable({ cells: [{ ...cell, expected: "broken" }] }, options);
  expect(known).toContain("  redlock  s\n");
  expect(known).toContain("s broken in simulation, not shown on real servers: 1");
  expect(known).toContain("Everything is as expected.");
  const wrong = renderSummaryTable({ cells: [{ ...cell, expected: "holds" }] }, options);
  expect(wrong).toContain("redlock under restart-node: expected holds, found simulated in 3 runs");
});

test("of two cells in one place the worse stands", () => {
  const cells = (["holds", "broken", "unknown"] as const).map((found) => ({ lock: "a", fault: "none", found }));
  expect(renderSummaryTable({ cells }, { color: false, width: 80 })).toContain("\n  a  ✗\n");
});

test("how many ticks are complete to one deviation", () => {
  const found = { lock: "a", found: "holds", runs: 30, valid: 30 } as const;
  const cells = [
    { ...found, fault: "none" },
    { ...found, fault: "reset", oneDeviation: { run: 1200, of: 1200 } },
    { ...found, fault: "stall", oneDeviation: { run: 24, of: 5375 } },
    { ...found, fault: "pause-client", found: "unknown", oneDeviation: { run: 1, of: 2 } },
  ] as const;
  const words = (some: Summary["cells"]): string =>
    renderSummaryTable({ cells: some }, { color: false, width: 300 }).replaceAll("\n  ", " ");
  expect(words(cells)).toContain(
    "1 of 2 cells under a fault are complete to one deviation (1,224 of 6,575 schedules run)\n",
  );
  expect(words([cells[2]])).toContain("0 of 1 cell under a fault is complete to one deviation (24 of 5,375 schedules");
  expect(words(cells.slice(0, 1))).not.toContain("deviation");
  expect(cells.map(cellWords)).toEqual([
    expect.stringMatching(/^found holds in 30 runs, 30 of them valid: [^,]*$/),
    expect.stringMatching(/, complete to one deviation, 1,200 schedules$/),
    expect.stringMatching(/, 24 of 5,375 schedules with one deviation$/),
    "found unknown in 30 runs",
  ]);
});

test("no surprise is said to be none", () => {
  const text = renderSummaryTable(
    { cells: [{ lock: "a", fault: "none", found: "holds", expected: "holds" }] },
    { color: false, width: 80 },
  );
  expect(text).toContain("Everything is as expected.");
  expect(text).not.toContain("Not as expected");
});

test.each([60, 80, 120])(
  "many faults and long names fit into %i columns, in more than one table where they must",
  (width) => {
    const faults = Array.from({ length: 40 }, (_, index) => `fault-number-${index}`);
    const cells = faults.map((fault) => ({
      lock: "./locks/a-rather-long-path/lock.ts",
      fault,
      found: "holds" as const,
    }));
    const text = renderSummaryTable({ cells }, { color: false, width });
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
    for (const fault of faults) expect(text).toContain(fault);
    expect(text.match(/✓(?! holds)/g)).toHaveLength(40);
  },
);

test("colour and ASCII are a matter of dress", () => {
  const colored = renderSummaryTable(summary, { color: true, width: 80 });
  expect(colored).toContain("\u001b[");
  expect(stripVTControlCharacters(colored)).toBe(renderSummaryTable(summary, { color: false, width: 80 }));
  expect(renderSummaryTable(summary, { color: false, width: 80, unicode: false })).toMatch(/^[\n -~]+$/);
});

test("an empty campaign says so", () => {
  expect(renderSummaryTable({ cells: [] }, { color: false, width: 80 })).toBe("Nothing was run.\n");
});

test("a table that is not whole says so, and does not call everything as expected", () => {
  const cells = [{ lock: "a", fault: "none", expected: "holds", found: "holds" }] as const;
  const text = renderSummaryTable(
    { cells, missing: { cells: 1, reason: "the budget was used up" } },
    { color: false, width: 80 },
  );
  expect(text).toContain(
    "  ? 1 more cell was not searched: the budget was used up\n  Everything searched is as expected.\n",
  );
  expect(
    renderSummaryTable(
      { cells: [], missing: { cells: 9, reason: "the hunt was interrupted" } },
      { color: false, width: 80 },
    ),
  ).toBe("Nothing was run: the hunt was interrupted.\n");
});

test("a tick says what it is worth, and a client that outlived its lease is not the lock's cross", () => {
  const cells = [
    { lock: "single", fault: "pause-client", expected: "outlived", found: "outlived", runs: 24, valid: 20 },
    { lock: "watchdog", fault: "pause-client", expected: "outlived", found: "holds", runs: 24, valid: 24 },
  ] as const;
  const text = renderSummaryTable({ cells }, { color: false, width: 120 });
  expect(text).toContain("  single    ○\n  watchdog  ✓\n");
  expect(text).toContain("○ keeps its promise, but a client outlived its lease: 1");
  // The run's own report says what helps against it.
  expect(text).not.toMatch(/no.lock|fencing/i);
  expect(text.replaceAll(/\s+/g, " ")).toContain(
    "at least 20 valid runs without a violation: at most 14 % of such runs break it (95 %)",
  );
  expect(text).toContain("Everything is as expected.");
  const surprising = renderSummaryTable({ cells: [{ ...cells[0], expected: "holds" }] }, { color: false, width: 120 });
  expect(surprising).toContain("expected holds, found outlived in 24 runs");
  expect(renderSummaryTable({ cells }, { color: false, width: 120, unicode: false })).toMatch(/^[\n -~]+$/);
});
