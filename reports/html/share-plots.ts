import { isAsExpected, type MeasuredExperiment, type PropertyCount } from "../../harness/core/measurement.ts";
import { wilsonInterval } from "../../harness/core/statistics/proportion.ts";
import type { Property } from "../../harness/core/verdict.ts";
import type { ShareGrid } from "../debate/share-grid.ts";
import { element, escapeXml } from "../xml.ts";
import { Markup } from "./markup.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";

const CHARACTER = 6.6;
const CELL = { height: 26, gap: 2, least: 62 } as const;
const LEFT_PAD = 12;
const HEADING = 34;

/** A property by both parameters: the redder a field, the more runs violated it. A frame marks an unexpected field. */
export function heatMap(grid: ShareGrid, name: string): Markup {
  const { columns, rows } = grid;
  const left = LEFT_PAD + CHARACTER * Math.max(...rows.map((row) => row.name.length)) + 10;
  const widths = columns.map((column) => Math.max(CELL.least, CHARACTER * column.length + 14));
  const starts = widths.map((_, at) => left + widths.slice(0, at).reduce((sum, width) => sum + width, 0));
  const width = left + widths.reduce((sum, each) => sum + each, 0) + 12;
  const height = HEADING + rows.length * CELL.height + 8;
  const parts = [
    ...columns.map((column, at) => label((starts[at] ?? 0) + (widths[at] ?? 0) / 2, 22, column, "middle")),
    ...rows.flatMap((row, index) => {
      const y = HEADING + index * CELL.height;
      return [
        label(left - 8, y + 17, row.name, "end"),
        ...row.cells.map((count, at) =>
          count === undefined
            ? ""
            : field(count, { x: starts[at] ?? 0, y, width: widths[at] ?? 0 }, `${row.name}, ${columns[at]}`),
        ),
      ];
    }),
  ];
  return drawing(name, width, height, parts, `min-width:${Math.ceil(width)}px`);
}

function field(
  count: PropertyCount,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  name: string,
): string {
  const { violated, judged } = count;
  const share = judged === 0 ? 0 : violated / judged;
  const box = { x: x + 1, y, width: width - CELL.gap, height: CELL.height - CELL.gap, rx: 3 };
  const words =
    judged === 0
      ? `${name}: does not apply`
      : `${name}: ${inFigures(violated)} of ${inFigures(judged)} runs, ${bounds(count)}`;
  return (
    `<g>${element("title", {}, [escapeXml(words)])}` +
    element("rect", { ...box, class: isAsExpected(count) ? "share-ground" : "share-ground surprise" }) +
    element("rect", { ...box, class: "share-fill", "fill-opacity": (share * 0.6).toFixed(2) }) +
    `${label(x + width / 2, y + 17, judged === 0 ? "-" : `${violated}/${judged}`, "middle")}</g>`
  );
}

function bounds({ violated, judged }: PropertyCount): string {
  const { low, high } = wilsonInterval({ hits: violated, trials: judged });
  return `between ${Math.round(100 * low)} % and ${Math.round(100 * high)} % (95 %)`;
}

const PLOT = { width: 720, height: 230, left: 58, top: 14, right: 16, bottom: 44 } as const;
/** Nobody can tell more lines than colours apart. */
const LINES = ["op-acquire", "op-write", "op-release", "op-extend"] as const;
export const MOST_LINES = LINES.length;

/** The share of violating runs over the columns, one line per row, with its 95 % interval. */
export function sharePlot(experiment: MeasuredExperiment, rows: readonly string[], property: Property): Markup {
  const points = experiment.cells.filter(({ x, row }) => x !== undefined && rows.includes(row));
  const xs = points.map(({ x = 0 }) => x);
  const [least, most] = [Math.min(...xs), Math.max(...xs)];
  const inner = { width: PLOT.width - PLOT.left - PLOT.right, height: PLOT.height - PLOT.top - PLOT.bottom };
  const xOf = (x: number): number => PLOT.left + (inner.width * (x - least)) / Math.max(1e-9, most - least);
  const yOf = (share: number): number => PLOT.top + inner.height * (1 - share);
  const lines = rows.flatMap((row, at) => {
    const mine = points
      .filter((cell) => cell.row === row)
      .map(({ x = 0, counts }) => ({ x, count: counts[property] ?? { violated: 0, judged: 0 } }))
      .toSorted((one, other) => one.x - other.x);
    const share = ({ violated, judged }: PropertyCount): number => (judged === 0 ? 0 : violated / judged);
    const path = mine.map(({ x, count }) => `${xOf(x).toFixed(1)},${yOf(share(count)).toFixed(1)}`).join(" ");
    return [
      element("polyline", { class: `line ${LINES[at]}`, points: path, fill: "none", style: "fill: none" }),
      ...mine.map(({ x, count }) => {
        const { low, high } = wilsonInterval({ hits: count.violated, trials: count.judged });
        const range = element("line", {
          class: `range ${LINES[at]}`,
          x1: xOf(x),
          x2: xOf(x),
          y1: yOf(low),
          y2: yOf(high),
        });
        const dot = element("circle", { class: `dot ${LINES[at]}`, cx: xOf(x), cy: yOf(share(count)), r: 3 });
        const words = `${row}, ${x}: ${inFigures(count.violated)} of ${inFigures(count.judged)} runs, ${bounds(count)}`;
        return `<g>${element("title", {}, [escapeXml(words)])}${range}${dot}</g>`;
      }),
    ];
  });
  const levels = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      element("line", { class: "grid", x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: yOf(share), y2: yOf(share) }) +
      label(PLOT.left - 6, yOf(share) + 4, `${100 * share} %`, "end"),
  );
  const ticks = withRoom(
    [...new Set(xs)].toSorted((one, other) => one - other),
    xOf,
  ).map((x) => label(xOf(x), PLOT.height - 26, String(x), "middle"));
  const axis = label(PLOT.left + inner.width / 2, PLOT.height - 8, experiment.columnAxis, "middle");
  const name = `${property} by ${experiment.columnAxis}`;
  return drawing(name, PLOT.width, PLOT.height, [...levels, ...lines, ...ticks, axis]);
}

/** Ticks whose labels do not overlap. */
function withRoom(xs: readonly number[], xOf: (x: number) => number): readonly number[] {
  const kept: number[] = [];
  for (const x of xs) {
    const last = kept.at(-1);
    if (last === undefined || xOf(x) - xOf(last) > 44) kept.push(x);
  }
  return kept;
}

/** The colour of a line, as a class of a swatch. */
export function lineClass(at: number): string {
  return `swatch ${LINES[at] ?? ""}`;
}

function label(x: number, y: number, words: string, anchor: "middle" | "end"): string {
  return element("text", { x, y, "text-anchor": anchor }, [escapeXml(words)]);
}

/** @param style keeps letters at their size in a narrow window, which then scrolls */
function drawing(name: string, width: number, height: number, parts: readonly string[], style?: string): Markup {
  const shape = {
    style,
    class: "chart shares",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": name,
  };
  return new Markup(element("svg", shape, parts).replaceAll(/(?<==")(\d+\.\d\d)\d+(?=")/g, "$1"));
}
