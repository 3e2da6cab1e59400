import { alignedColumns } from "../../../reports/aligned-columns.ts";
import { wrap } from "../../../reports/text-style.ts";

/** Less than this is too narrow for words. */
const NARROWEST = 16;

/** Rows of cells as text; no line ends with a space. @param heading the first line */
export function textTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return alignedColumns([heading, ...rows])
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/**
 * The same in a given width: the words of one column are broken into lines under each other. Where that leaves too little
 * room, each row is a few lines: its first two cells, and the others below.
 * @param wraps the column, counted from 0
 * @param width absent where nothing limits it, as in a pipe whose reader takes a line for a row
 */
export function tableWithin(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  { wraps, width }: { readonly wraps: number; readonly width: number | undefined },
): string {
  const all = [heading, ...rows];
  const widest = heading.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  const others = widest.reduce((sum, cell, at) => sum + (at === wraps ? 0 : cell + 2), 0);
  if (width === undefined || others + (widest[wraps] ?? 0) <= width) return textTable(heading, rows);
  if (width - others < NARROWEST) return listed(rows, width);
  const broken = rows.flatMap((row) => {
    const lines = wrap(row[wraps] ?? "", width - others);
    return lines.map((line, at) => row.map((cell, column) => (column === wraps ? line : at === 0 ? cell : "")));
  });
  return textTable(heading, broken);
}

function listed(rows: readonly (readonly string[])[], width: number): string {
  return rows
    .map((row) => {
      const [first = "", second = "", ...others] = row.filter((cell) => cell !== "");
      const below = wrap(others.join(", "), width - 5).map((line) => `     ${line}\n`);
      return `${first.padEnd(3)}  ${second}\n${below.join("")}`;
    })
    .join("");
}
