import type { FaultSpan } from "../run/fault-spans.ts";
import type { Timeline } from "../run/timeline.ts";
import { roundStep } from "../run/column-scale.ts";
import { formatMs } from "../wording.ts";
import { element, escapeXml } from "../xml.ts";
import { html, Markup } from "./markup.ts";

const WIDTH = 720;
export const HEIGHT = 190;
/** Room for the widest label of an axis, `10 000 ms`. */
export const LEFT = 72;
const BOTTOM = 26;
export const TOP = 12;
export const PLOT = { width: WIDTH - LEFT - 12, height: HEIGHT - TOP - BOTTOM } as const;

/** Where a moment of the run is in a chart. */
export function xAt(time: number, { end }: Timeline): number {
  return LEFT + (PLOT.width * time) / Math.max(1, end);
}

/** Where a stretch of the run begins in a chart, and how wide it is. */
export function extent(
  { from, to }: { readonly from: number; readonly to: number },
  timeline: Timeline,
): readonly [number, number] {
  const x = xAt(from, timeline);
  return [x, xAt(to, timeline) - x];
}

export function faultBands(faults: readonly FaultSpan[], timeline: Timeline): readonly string[] {
  return faults
    .filter(({ outcome }) => outcome !== "skipped")
    .map((fault) => {
      const [x, width] = extent(fault, timeline);
      const band = element("rect", { class: "band", x, width: Math.max(1.5, width), y: TOP, height: PLOT.height });
      return titled(band, `${fault.kind}: ${fault.targets.join(", ")}`);
    });
}

export function timeAxis(end: number): readonly string[] {
  const step = roundStep(Math.max(1, end) / 7);
  const ticks = Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
  return ticks.map((ns) => label(LEFT + (PLOT.width * ns) / Math.max(1, end), HEIGHT - 8, formatMs(ns), "middle"));
}

export function level(y: number, words: string): string {
  return (
    element("line", { class: "grid", x1: LEFT, x2: WIDTH - 12, y1: y, y2: y }) + label(LEFT - 6, y + 4, words, "end")
  );
}

export function label(x: number, y: number, words: string, anchor: "middle" | "end"): string {
  // The last tick is at the edge of the drawing.
  const last = anchor === "middle" && x > WIDTH - 34;
  return element("text", { x: last ? WIDTH - 2 : x, y, "text-anchor": last ? "end" : anchor }, [escapeXml(words)]);
}

export function titled(shape: string, words: string): string {
  return `<g>${element("title", {}, [escapeXml(words)])}${shape}</g>`;
}

export function chart(name: string, parts: readonly string[]): Markup {
  const shape = { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": name };
  const svg = element("svg", shape, parts).replaceAll(/(\d+\.\d\d)\d+/g, "$1");
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}">${new Markup(svg)}</div>`;
}
