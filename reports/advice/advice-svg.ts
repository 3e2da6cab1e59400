import { inFigures } from "../../harness/core/words/in-figures.ts";
import { element, escapeXml } from "../xml.ts";
import { formatMilliseconds, percent } from "./advice-words.ts";
import type { TtlAdvice } from "./ttl-advice.ts";

/** In pixels: of windows and paper, and of telephones, so that letters keep their size. */
export type AdviceWidth = 720 | 340;
const HEIGHT = 380;
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 24, 64, 52];
/** More steps than this cannot be told apart. */
const MOST_POINTS = 600;

/**
 * The number of holds that are longer than a time, on two logarithmic scales, with the TTLs of the rules: where a TTL
 * meets the curve is its share of overruns, and a whisker reaches to the upper bound of that share. A self-contained
 * SVG that takes the colours of the page it is put into.
 */
export function renderAdviceSvg(advice: TtlAdvice, width: AdviceWidth = 720): string {
  const { durationsMs, choices, longestMs, holds } = advice;
  const least = Math.max(durationsMs.find((each) => each > 0) ?? 1, longestMs / 1e6);
  const most = Math.max(longestMs, ...choices.map(({ ttlMs }) => ttlMs)) * 1.3;
  const lowest = 10 ** Math.floor(Math.log10(Math.min(0.1, 0.5 / holds)));
  const x = (value: number): number => round(LEFT + scaled(value, least, most) * (width - LEFT - RIGHT));
  const y = (share: number): number => round(HEIGHT - BOTTOM - scaled(share, lowest, 1) * (HEIGHT - TOP - BOTTOM));
  const label = `Share of ${inFigures(holds)} holds that last longer than a given time; ${choices.map(({ rule, ttlMs, overrunShare }) => `TTL by ${rule} ${formatMilliseconds(ttlMs)}: ${percent(overrunShare)} overrun`).join("; ")}`;
  const parts = [
    element("title", {}, [escapeXml(label)]),
    element("rect", { width, height: HEIGHT, fill: "var(--page, #ffffff)" }),
    ...powers(lowest, 1).flatMap((share) => [
      line(LEFT, y(share), width - RIGHT, y(share), "var(--line, #d9dde3)"),
      text(LEFT - 8, y(share) + 4, percent(share), "end"),
    ]),
    ...powers(least, most).flatMap((value) => [
      line(x(value), TOP, x(value), HEIGHT - BOTTOM, "var(--line, #d9dde3)"),
      text(x(value), HEIGHT - BOTTOM + 18, formatMilliseconds(value), "middle"),
    ]),
    text((LEFT + width) / 2, HEIGHT - 10, "time held", "middle"),
    text(LEFT, 18, `share of ${inFigures(holds)} holds that last longer`, "start"),
    element("path", {
      d: curve(durationsMs, x, y, lowest),
      fill: "none",
      stroke: "var(--lease, #1a7f4b)",
      "stroke-width": 2,
    }),
    ...choices.flatMap((choice, index) => {
      const at = x(choice.ttlMs);
      const seen = y(Math.max(choice.overrunShare, lowest));
      return [
        line(at, TOP, at, HEIGHT - BOTTOM, "var(--note, #1763a8)", "5 4"),
        line(at, y(choice.overrunShareAtMost), at, seen, "var(--overrun, #a05200)", undefined, 4),
        element("circle", { cx: at, cy: seen, r: 4, fill: "var(--overrun, #a05200)" }),
        // One below the other, since rules often agree.
        text(
          at - 4,
          32 + 12 * index,
          `${choice.rule}: ${formatMilliseconds(choice.ttlMs)}`,
          at > width / 2 ? "end" : "start",
        ),
      ];
    }),
  ];
  const attributes = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${HEIGHT}`,
    width,
    height: HEIGHT,
    role: "img",
    "font-family": "system-ui, sans-serif",
    "font-size": 12,
  };
  return `${element("svg", attributes, parts)}\n`;
}

/** Steps down at each hold. A curve of many holds is thinned out, but the longest holds stay. */
function curve(
  ascending: readonly number[],
  x: (value: number) => number,
  y: (share: number) => number,
  lowest: number,
): string {
  const { length } = ascending;
  const every = Math.ceil(length / MOST_POINTS);
  const points = ascending.flatMap((value, index) =>
    index % every === 0 || index >= length - MOST_POINTS / 4
      ? [`H${x(value)}V${y(Math.max(lowest, (length - index - 1) / length))}`]
      : [],
  );
  return `M${LEFT} ${y(1)}${points.join("")}`;
}

/** The position of a value between two others on a logarithmic scale, 0 to 1. */
function scaled(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, Math.log(Math.max(value, from) / from) / Math.log(to / from)));
}

function powers(from: number, to: number): readonly number[] {
  const first = Math.ceil(Math.log10(from) - 1e-9);
  const last = Math.floor(Math.log10(to) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => Number(`1e${first + index}`));
}

function line(x1: number, y1: number, x2: number, y2: number, stroke: string, dashes?: string, width = 1): string {
  return element("line", { x1, y1, x2, y2, stroke, "stroke-width": width, "stroke-dasharray": dashes });
}

function text(x: number, y: number, content: string, anchor: string): string {
  return element("text", { x, y, "text-anchor": anchor, fill: "var(--ink, #1b2028)" }, [escapeXml(content)]);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
