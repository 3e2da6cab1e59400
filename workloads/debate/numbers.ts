import { countOf, type MeasuredCell, type PropertyCount, totalOf } from "../../harness/core/measurement.ts";
import type { Property } from "../../harness/core/verdict.ts";

/** The cells in which the property was violated at least once. */
export function brokenIn(cells: readonly MeasuredCell[], property: Property): readonly MeasuredCell[] {
  return cells.filter((cell) => countOf(cell, property).violated > 0);
}

/** The cells of some rows. */
export function inRows(cells: readonly MeasuredCell[], rows: readonly string[]): readonly MeasuredCell[] {
  return cells.filter(({ row }) => rows.includes(row));
}

/** Whether there are cells and the property was judged in each, and never violated. */
export function neverBroken(cells: readonly MeasuredCell[], property: Property): boolean {
  return cells.length > 0 && cells.every((cell) => isIntact(countOf(cell, property)));
}

function isIntact({ violated, judged }: PropertyCount): boolean {
  return judged > 0 && violated === 0;
}

/** Whether there are cells, and the property was violated in each. */
export function alwaysBroken(cells: readonly MeasuredCell[], property: Property): boolean {
  return cells.length > 0 && brokenIn(cells, property).length === cells.length;
}

/** `lost updates in 12 of 300 runs`, for a sentence. */
export function violatedWords(cells: readonly MeasuredCell[], property: Property): string {
  const { violated, judged } = totalOf(cells, property);
  return `${violated} of ${judged} runs`;
}

/** The rows or columns of some cells, each once, in order; `none` where there are none. */
export function namesOf(cells: readonly MeasuredCell[], axis: "row" | "column"): string {
  const names = [...new Set(cells.map((cell) => cell[axis]))];
  return names.length === 0 ? "none" : names.join(", ");
}
