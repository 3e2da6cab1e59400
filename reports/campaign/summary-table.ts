import { printable } from "../../harness/core/printable.ts";
import {
  faultWords,
  cellWords,
  isSurprise,
  missingWords,
  summaryGrid,
  tickWords,
  type Summary,
  type SummaryCell,
} from "./summary.ts";
import { glyphs, TextStyle, type Span, type TextOptions } from "../text-style.ts";
import { count } from "../wording.ts";

/**
 * A campaign as a table of locks by faults, for a terminal. A fault's name is above its column on a line of its own, so
 * that many faults fit side by side. `!` marks an unexpected result; each is explained in words below. Ends with a line
 * feed.
 */
export function renderSummaryTable(summary: Summary, options: TextOptions): string {
  const style = new TextStyle(options);
  const grid = summaryGrid(summary);
  if (grid.rows.length === 0) {
    return summary.missing === undefined ? "Nothing was run.\n" : `Nothing was run: ${summary.missing.reason}.\n`;
  }
  const longest = Math.max(...grid.rows.map(({ lock }) => printable(lock).length));
  const headingWidth = Math.max(...grid.faults.map((fault) => printable(fault).length));
  const labelWidth = Math.min(
    longest,
    Math.max(12, style.width - COLUMN * (grid.faults.length - 1) - headingWidth - 4),
  );
  const perTable = Math.max(1, 1 + Math.floor((style.width - labelWidth - 4 - headingWidth) / COLUMN));
  const lines: string[] =
    summary.title === undefined ? [] : [style.line({ text: printable(summary.title), style: "bold" }), ""];
  for (let first = 0; first < grid.faults.length; first += perTable) {
    if (first > 0) lines.push("");
    lines.push(...headings(grid.faults.slice(first, first + perTable), labelWidth, style));
    for (const { lock, cells } of grid.rows) {
      const label = fitted(printable(lock), labelWidth);
      lines.push(
        style.line(
          { text: `  ${label}  ` },
          ...cells.slice(first, first + perTable).map((cell) => cellSpan(cell, style)),
        ),
      );
    }
  }
  lines.push(
    "",
    ...legend(
      grid.rows.flatMap(({ cells }) => cells),
      style,
    ),
    ...(summary.missing === undefined ? [] : style.hanging({ text: "  ?" }, missingWords(summary.missing), 4)),
    ...surprises(grid.surprises, summary.missing === undefined, style),
  );
  return `${lines.join("\n").replaceAll("\u{a0}", " ")}\n`;
}

/** Columns of a cell: its mark, `!` or a space, a space. */
const COLUMN = 3;

function headings(faults: readonly string[], labelWidth: number, style: TextStyle): readonly string[] {
  const stem = style.unicode ? "│" : "|";
  return faults.map((fault, index) => {
    const stems = `${stem}${" ".repeat(COLUMN - 1)}`.repeat(index);
    const room = style.width - labelWidth - 4 - stems.length;
    return style.line(
      { text: " ".repeat(labelWidth + 4) + stems, style: "dim" },
      { text: fitted(printable(fault), room).trimEnd() },
    );
  });
}

function cellSpan(cell: SummaryCell | undefined, style: TextStyle): Span {
  if (cell === undefined) return { text: " ".padEnd(COLUMN) };
  const { good, bad } = glyphs(style.unicode);
  const mark = { holds: good, outlived: style.unicode ? "○" : "o", broken: bad, simulated: "s", unknown: "?" }[
    cell.found
  ];
  const color = { holds: "green", outlived: "cyan", broken: "red", simulated: "cyan", unknown: "yellow" } as const;
  const surprise = isSurprise(cell) && cell.found !== "unknown";
  return {
    text: `${mark}${surprise ? "!" : ""}`.padEnd(COLUMN),
    style: surprise ? ["bold", color[cell.found]] : color[cell.found],
  };
}

function legend(cells: readonly (SummaryCell | undefined)[], style: TextStyle): readonly string[] {
  const { good, bad } = glyphs(style.unicode);
  const run = cells.filter((cell) => cell !== undefined);
  const found = (word: SummaryCell["found"]): number => run.filter((cell) => cell.found === word).length;
  const runs = run.reduce((sum, cell) => sum + (cell.runs ?? 0), 0);
  const parts = [
    `${good} holds: ${found("holds")}`,
    ...(found("outlived") > 0
      ? [`${style.unicode ? "○" : "o"} keeps its promise, but a client outlived its lease: ${found("outlived")}`]
      : []),
    `${bad} broken: ${found("broken")}`,
    `? unknown: ${found("unknown")}`,
  ];
  if (found("simulated") > 0) parts.push(`s broken in simulation, not shown on real servers: ${found("simulated")}`);
  if (run.some((cell) => isSurprise(cell) && cell.found !== "unknown")) parts.push("! not as expected");
  if (run.length < cells.length) parts.push("blank: not run");
  if (runs > 0) parts.push(`${count(runs, "run")} in all`);
  const ticks = tickWords(run);
  return [
    ...style.paragraph(parts.map((part) => part.replaceAll(" ", "\u{a0}")).join(", "), 2),
    ...(ticks === undefined
      ? []
      : style.paragraph(style.unicode ? ticks : ticks.replace("✓", good).replace("○", "o"), 2)),
  ];
}

function surprises(cells: readonly SummaryCell[], whole: boolean, style: TextStyle): readonly string[] {
  if (cells.length === 0) return [`  Everything ${whole ? "" : "searched "}is as expected.`];
  return [
    "",
    style.paint("Not as expected", "bold"),
    ...cells.flatMap((cell) => style.hanging({ text: "  -" }, surprise(cell), 4)),
  ];
}

function surprise(cell: SummaryCell): string {
  return printable(`${cell.lock} under ${faultWords(cell.fault)}: ${cellWords(cell)}`);
}

function fitted(text: string, width: number): string {
  return text.length <= width ? text.padEnd(width) : `${text.slice(0, Math.max(1, width - 2))}..`;
}
