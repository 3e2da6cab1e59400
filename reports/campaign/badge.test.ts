import { expect, test } from "vitest";
import { faultWithoutEffect, lostInFailover, takingTurns } from "../testdata/example-runs.ts";
import { badgeMarkdown, renderBadge } from "./badge.ts";
import type { Summary, SummaryCell } from "./summary.ts";

const HELD = {
  lock: "fenced",
  topology: "single",
  fault: "reset",
  expected: "holds",
  found: "holds",
  runs: 600,
} as const;

function titleOf(svg: string): string {
  return /<title>(.*)<\/title>/.exec(svg)?.[1] ?? "";
}

function ofCells(cells: readonly SummaryCell[], more: Partial<Summary> = {}): string {
  return renderBadge({ runs: [], summary: { cells, ...more } });
}

test.each([
  ["holds in 598 valid runs", [{ ...HELD, valid: 598 }]],
  ["breaks in run 23", [{ ...HELD, found: "broken", runs: 23 }]],
  ["unknown after 600 runs", [{ ...HELD, found: "unknown" }]],
] as const)("a hunt: %s", (words, cells) => {
  const svg = ofCells(cells);
  expect(svg).toContain(`>${words}</text>`);
  expect(titleOf(svg)).toBe(`lockstorm: fenced on single under reset ${words}`);
});

test("a hunt under many kinds of faults counts them, so that its name can be read", () => {
  const fault = "pause-client + kill-client + partition + latency";
  expect(titleOf(ofCells([{ ...HELD, fault, valid: 598 }]))).toBe(
    "lockstorm: fenced on single under any of 4 kinds of faults holds in 598 valid runs",
  );
});

test("a table breaks with one cell against its claim, and is unknown while one is not searched", () => {
  const other = { ...HELD, lock: "redlock", valid: 90, runs: 100 };
  const held = { ...HELD, valid: 600 };
  expect(ofCells([held, other])).toContain(">holds in 690 valid runs</text>");
  expect(ofCells([held, { ...other, found: "broken" }])).toContain(">breaks in 1 of 2 cells, 700 runs</text>");
  expect(ofCells([held, { ...other, expected: "broken", found: "broken" }])).toContain(
    ">as claimed in 700 runs</text>",
  );
  const missing = { cells: 3, reason: "the budget was used up" };
  expect(ofCells([held, other], { missing })).toContain(">unknown after 700 runs</text>");
});

test("the name of a table's badge reads as a sentence", () => {
  const held = [
    { ...HELD, valid: 598 },
    { ...HELD, lock: "redlock", valid: 90, runs: 100 },
  ];
  expect(titleOf(ofCells(held))).toBe("lockstorm: table of locks by faults, 2 cells: holds in 688 valid runs");
  const flawed = [HELD, { ...HELD, expected: "broken", found: "broken", runs: 5 } as const];
  expect(titleOf(ofCells(flawed))).toBe(
    "lockstorm: table of locks by faults, 2 cells: came out as claimed in 605 runs",
  );
  expect(titleOf(renderBadge({ runs: [takingTurns(), takingTurns()] }))).toMatch(/^lockstorm: .*: holds in 2 runs$/);
});

test.each([
  ["holds", takingTurns],
  ["breaks", lostInFailover],
  ["unknown", faultWithoutEffect],
])("a run: %s", (word, run) => expect(renderBadge({ runs: [run()] })).toContain(`>${word} in 1 run</text>`));

test("it is an image with a name, wide enough for its words, the same each time, and says nothing of when", () => {
  const svg = ofCells([{ ...HELD, elapsedMs: 1234.5, valid: 598 }]);
  expect(svg).toBe(ofCells([{ ...HELD, elapsedMs: 7, valid: 598 }]));
  const [, width, label] = /^<svg [^>]*width="(\d+)"[^>]*role="img" aria-label="([^"]*)"/.exec(svg) ?? [];
  expect(label).toBe(titleOf(svg));
  const [first, second] = [...svg.matchAll(/<text x="(\d+)"[^>]*textLength="(\d+)"/g)].map(([, x, length]) => ({
    x: Number(x),
    end: Number(x) + Number(length),
  }));
  expect(first?.end).toBeLessThan(second?.x ?? 0);
  expect(second?.end).toBeLessThan(Number(width));
});

test("its colours can be read by everybody: white on them has a contrast of at least 4.5", () => {
  const svgs = [
    ofCells([HELD]),
    ofCells([{ ...HELD, found: "broken" }]),
    ofCells([{ ...HELD, found: "unknown" }]),
  ].join("");
  const colors = [...new Set([...svgs.matchAll(/fill="#([0-9a-f]{6})"/g)].map(([, color = ""]) => color))];
  expect(colors).toHaveLength(4);
  for (const color of colors) expect(contrastWithWhite(color), color).toBeGreaterThanOrEqual(4.5);
});

/** WCAG 2.2, relative luminance. */
function contrastWithWhite(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

test("its Markdown is one image in one link, whatever the lock is called", () => {
  const cells = [{ ...HELD, lock: "a](x) `b` <c>\n[d" }];
  const line = badgeMarkdown({ runs: [], summary: { cells } }, { badge: "out/a b).badge.svg", page: "out/a.html" });
  expect(line).not.toContain("\n");
  expect(line).toMatch(/^\[!\[lockstorm: a\\\]\(x\) \\`b\\` \\<c\\>/);
  expect(line).toMatch(/\]\(out\/a%20b%29\.badge\.svg\)\]\(out\/a\.html\)$/);
});
