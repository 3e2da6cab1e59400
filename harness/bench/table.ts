import { styleText } from "node:util";
import { alignedColumns } from "../../reports/aligned-columns.ts";
import { spread } from "./statistics.ts";
import { inFigures } from "../core/words/in-figures.ts";

/** A figure, a word, several measurements of one figure, or nothing. */
export type Cell = number | string | readonly number[] | undefined;

interface Column {
  /** The key of the cells in `rows` and in the raw figures. */
  readonly key: string;
  /** The heading, with the unit. */
  readonly title: string;
  /** Digits after the decimal point. Default 0. */
  readonly digits?: number;
}

/** The result of a benchmark. */
export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  /** Lines that explain the table. */
  readonly notes?: readonly string[];
  /** Problems found: they are printed prominently, and the exit code is 1. */
  readonly failures?: readonly string[];
  /** What could not be measured here, and how to fix it: printed prominently. */
  readonly lacks?: readonly string[] | undefined;
}

/**
 * A table as plain text: words left-aligned, figures right-aligned, repeated measurements as `median [least..most]`.
 * Ends with a line feed.
 */
export function renderTable({ title, columns, rows, notes = [], failures = [], lacks = [] }: Table): string {
  const grid = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ key, digits = 0 }) => cellText(row[key], digits))),
  ];
  const isWord = columns.map(({ key }) => rows.every((row) => typeof row[key] === "string"));
  const lines = alignedColumns(grid, (column) => !isWord[column]).map((line) => line.trimEnd());
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
  const text = (figure: number): string => inFigures(figure, digits);
  if (typeof cell === "number") return text(cell);
  if (cell.length === 0) return "-";
  const { median, min, max } = spread(cell);
  return cell.length === 1 ? text(median) : `${text(median)} [${text(min)}..${text(max)}]`;
}
