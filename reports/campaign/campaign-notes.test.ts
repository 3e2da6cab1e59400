import { expect, test } from "vitest";
import { noteGroups, renderNotes } from "./campaign-notes.ts";
import { renderAnnotations, renderMarkdown } from "../run/markdown.ts";
import { renderJunit } from "./junit.ts";
import { renderHtml } from "../html/html.ts";
import type { SummaryNote } from "./summary.ts";

const notes: readonly SummaryNote[] = [
  { kind: "undecided", what: "reset was skipped", runs: 2, replay: "npx lockstorm replay a/plan.json" },
  { kind: "not-claimed", what: "lease-exclusion under clock-jump (clock-jump)", runs: 3 },
  { kind: "outlived", what: "nothing was written\u001b[31m", runs: 1 },
];

test("notes stand kind by kind, each with its runs and the first of them", () => {
  expect(renderNotes(notes, { color: false, width: 100 })).toBe(
    [
      "",
      "Unknown, by reason",
      "  - reset was skipped: 2 runs, first: npx lockstorm replay a/plan.json",
      "",
      "Broke a property that the lock does not claim",
      "  - lease-exclusion under clock-jump (clock-jump): 3 runs",
      "",
      "Clients outlived their leases; what the resource did with their late writes",
      "  - nothing was written\u{fffd}[31m: 1 run",
      "",
    ].join("\n"),
  );
  expect(renderNotes([], { color: false, width: 100 })).toBe("");
  expect(renderNotes(undefined, { color: false, width: 100 })).toBe("");
});

test("a reason that ends a sentence is not followed by a second mark", () => {
  const what = "the driver says: see the log for details.";
  expect(noteGroups([{ kind: "undecided", what, runs: 1 }])[0]?.lines).toEqual([
    "the driver says: see the log for details: 1 run",
  ]);
});

test("too many of a kind are counted, not listed", () => {
  const many = Array.from({ length: 14 }, (_, index): SummaryNote => ({
    kind: "undecided",
    what: `why ${index}`,
    runs: 2,
  }));
  const [group] = noteGroups(many);
  expect(group?.lines).toHaveLength(11);
  expect(group?.lines.at(-1)).toBe("4 further kinds, 8 runs in all");
});

test("every report tells them, and none takes them for a failure", () => {
  const report = { runs: [], summary: { cells: [{ lock: "a", fault: "none", found: "holds" as const }], notes } };
  for (const text of [renderMarkdown(report), renderJunit(report), renderAnnotations(report), renderHtml(report)]) {
    expect(text).toContain("Broke a property that the lock does not claim");
    expect(text).toContain("3 runs");
  }
  expect(renderJunit(report)).toContain('failures="0" errors="0"');
  expect(renderAnnotations(report)).toMatch(/^::notice title=Unknown%2C by reason::reset was skipped/m);
});
