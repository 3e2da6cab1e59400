import { meaningOf } from "../../harness/core/verdict.ts";
import { AUTHORS, type MeasuredDebate, type MeasuredExperiment } from "../../harness/core/measurement.ts";
import { countInShort, type ShareGrid, shareGrids } from "./share-grid.ts";
import { type Span, type TextOptions, TextStyle } from "../text-style.ts";
import { count } from "../wording.ts";

const INDENT = 2;
const LABEL = 14;

/** The measured dispute for a terminal: for each experiment who claims what, the numbers, and what they say. */
export function renderDebateText(debate: MeasuredDebate, options: TextOptions): string {
  const style = new TextStyle(options);
  const { seed, runs, sources, experiments } = debate;
  const off = experiments.filter(({ surprises }) => surprises.length > 0);
  const lines = [
    ...experiments.flatMap((experiment) => [...experimentLines(experiment, style), ""]),
    ...AUTHORS.flatMap((author) =>
      style.hanging({ text: author, style: "bold" }, `${sources[author].name}, ${sources[author].link}`, LABEL),
    ),
    "",
    `${experiments.length - off.length} of ${count(experiments.length, "experiment")} as predicted (seed ${seed}, ${count(runs, "run")} of each cell)` +
      (off.length === 0 ? "" : `; not so: ${off.map(({ id }) => id).join(", ")}`),
  ];
  return `${lines.join("\n")}\n`;
}

function experimentLines(experiment: MeasuredExperiment, style: TextStyle): readonly string[] {
  const { id, question, says, rowAxis, columnAxis, predictions, verdict, surprises } = experiment;
  return [
    style.paint(`${id}: ${question}`, "bold"),
    ...AUTHORS.flatMap((author) => style.hanging({ text: `${" ".repeat(INDENT)}${author}` }, says[author], LABEL)),
    "",
    ...style
      .paragraph(
        `runs that violated it, of the runs that could show it; rows: ${rowAxis}; columns: ${columnAxis}`,
        INDENT,
      )
      .map((line) => style.paint(line, "dim")),
    ...shareGrids(experiment).flatMap((grid) => gridLines(grid, style)),
    "",
    ...predictions.flatMap(({ by, claim, holds, expected }) =>
      style.hanging(
        { text: `${" ".repeat(INDENT)}${holds ? "holds" : "refuted"}`, style: holds === expected ? undefined : "red" },
        `${by}: ${claim}`,
        LABEL,
      ),
    ),
    ...style.hanging({ text: `${" ".repeat(INDENT)}verdict`, style: "bold" }, verdict, LABEL),
    ...surprises.flatMap((words) =>
      style.hanging({ text: `${" ".repeat(INDENT)}not as predicted`, style: "red" }, words, LABEL + 6),
    ),
  ];
}

function gridLines({ property, columns, rows }: ShareGrid, style: TextStyle): readonly string[] {
  const label = Math.max(property.length, ...rows.map(({ name }) => name.length));
  const texts = rows.map(({ name, cells }) => ({ name, cells: cells.map(countInShort) }));
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...texts.map(({ cells }) => cells[at]?.length ?? 0)),
  );
  const line = (first: Span, cells: readonly Span[]): string =>
    style.line(
      { text: " ".repeat(2 * INDENT) },
      { ...first, text: first.text.padEnd(label) },
      ...cells.map(({ text, style: dress }, at) => ({ text: `  ${text.padStart(widths[at] ?? 0)}`, style: dress })),
    );
  return [
    line(
      { text: property, style: "bold" },
      columns.map((text) => ({ text })),
    ),
    ...texts.map(({ name, cells }, row) =>
      line(
        { text: name },
        cells.map((text, at) => ({ text, style: (rows[row]?.cells[at]?.violated ?? 0) > 0 ? "red" : undefined })),
      ),
    ),
    style.paint(`${" ".repeat(2 * INDENT)}(${meaningOf(property)})`, "dim"),
  ];
}
