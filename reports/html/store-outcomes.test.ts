import { expect, test } from "vitest";
import { outcomesSection } from "./store-outcomes.ts";
import type { ListedOutcome } from "./store-listing.ts";

function outcomes(found: readonly (readonly string[])[]): readonly ListedOutcome[] {
  return found.map((words, place) => ({
    name: "ladder",
    at: `2026-01-0${place + 1} 12:00:00`,
    commit: `${place}`.repeat(40),
    cells: words.map((word, cell) => ({ lock: `lock-${cell}`, fault: "reset", found: word })),
  }));
}

/** The words of each row, the newest campaign first. */
function rowsOf(listed: readonly ListedOutcome[]): readonly (readonly string[])[] {
  const section = outcomesSection(listed);
  const text = section === false ? "" : section.text;
  return [...text.matchAll(/<tr>\s*<th scope="row">(.*?)<\/th>(.*?)<\/tr>/gs)].map(([, name = "", cells = ""]) => [
    name,
    ...[...cells.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, word = ""]) => word),
  ]);
}

test("a cell is new when it breaks first, then known, then fixed; what is unknown changes nothing of it", () => {
  expect(rowsOf(outcomes([["holds"], ["broken"], ["unknown"], ["broken"], ["holds"], ["holds"]]))).toEqual([
    ["lock-0 under reset", "holds", "holds, fixed", "breaks, known", "unknown", "breaks, new", "holds"],
  ]);
});

test("cells that always held are counted, not listed", () => {
  const listed = outcomes([
    ["holds", "outlived", "broken"],
    ["holds", "holds", "broken"],
  ]);
  expect(rowsOf(listed).map(([name]) => name)).toEqual(["lock-2 under reset"]);
  const section = outcomesSection(listed);
  expect(section === false ? "" : section.text).toContain("2 more held in each of these.");
});

test("without a campaign there is no section", () => {
  expect(outcomesSection([])).toBe(false);
});

test("what breaks in the first result is not called new, and a single result has nothing to be compared with", () => {
  expect(rowsOf(outcomes([["broken"], ["broken"]]))).toEqual([["lock-0 under reset", "breaks, known", "breaks"]]);
  const other = outcomes([["holds"]]).map((outcome) => ({ ...outcome, name: "hunt-single" }));
  const section = outcomesSection([...outcomes([["broken", "holds"]]), ...other]);
  expect(section === false ? "" : section.text).toContain(
    "Only one result so far, so nothing to compare: ladder, hunt-single.",
  );
  expect(rowsOf(outcomes([["broken", "holds"]]))).toEqual([]);
});
