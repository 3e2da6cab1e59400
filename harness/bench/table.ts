import { styleText } from "node:util";
import { spread } from "./statistics.ts";

/** A figure, a word, figures of the same thing measured several times, or nothing. */
export type Cell = number | string | readonly number[] | undefined;

interface Column {
  /** Of the cells in `rows`, and in the raw figures. */
  readonly key: string;
  /** The heading, with the unit. */
  readonly title: string;
  /** Digits behind the decimal point. Default 0. */
  readonly digits?: number;
}

/** What a benchmark found. */
export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  /** Lines for whoever reads the table: how to understand it. */
  readonly notes?: readonly string[];
  /** What should not be so: said loudly, and the exit code is 1. */
  readonly failures?: readonly string[];
  /** What could not be measured here, and how to mend that: said loudly. */
  readonly lacks?: readonly string[];
}

/**
 * A table as plain text: words flush left, figures flush right, figures measured several times as
 * `median [least..most]`. Ends with a line feed.
 */
export function renderTable({ title, columns, rows, notes = [], failures = [], lacks = [] }: Table): string {
  const grid = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ key, digits = 0 }) => cellText(row[key], digits))),
  ];
  const isWord = columns.map(({ key }) => rows.every((row) => typeof row[key] === "string"));
  const widths = columns.map((_, column) => Math.max(...grid.map((line) => line[column]?.length ?? 0)));
  const lines = grid.map((line) =>
    line
      .map((text, column) => (isWord[column] ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  const loud = (line: string): string => styleText(["bold", "red"], line);
  return [
    styleText("bold", title),
    ...lines,
    ...notes,
    ...lacks.map((line) => loud(`NOT MEASURED: ${line}`)),
    ...failures.map((line) => loud(`FAILED: ${line}`)),
    "",
  ].join("\n");
}

function cellText(cell: Cell, digits: number): string {
  if (cell === undefined) return "-";
  if (typeof cell === "string") return cell;
  const text = (figure: number): string =>
    figure.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  if (typeof cell === "number") return text(cell);
  if (cell.length === 0) return "-";
  const { median, min, max } = spread(cell);
  return cell.length === 1 ? text(median) : `${text(median)} [${text(min)}..${text(max)}]`;
}
