import { type ClockLine, clockLinesOf } from "../run/clocks/clock-lines.ts";
import { roundStep } from "../run/column-scale.ts";
import type { Timeline } from "../run/timeline.ts";
import { formatMs } from "../wording.ts";
import { element } from "../xml.ts";
import { chart, faultBands, label, LEFT, level, PLOT, timeAxis, titled, TOP, xAt } from "./chart-parts.ts";
import { html, type Markup } from "./markup.ts";

/** How far wall clocks are from true time; nothing where none is known to differ. */
export function clockFigure(timeline: Timeline): Markup | undefined {
  const lines = clockLinesOf(timeline);
  if (lines.length === 0) return undefined;
  return html`<figure>
    <figcaption>How far wall clocks are ahead of true time</figcaption>
    ${drawing(lines, timeline)}
    <p class="key">A clock that is not here was right, or never seen. <i class="swatch fault"></i> fault</p>
  </figure>`;
}

function drawing(lines: readonly ClockLine[], timeline: Timeline): Markup {
  const all = lines.flatMap(({ points }) => points.map(({ ahead }) => ahead));
  const step = roundStep((Math.max(0, ...all) - Math.min(0, ...all)) / 4);
  const [from, to] = [Math.floor(Math.min(0, ...all) / step), Math.ceil(Math.max(0, ...all) / step)];
  const y = (ns: number): number => TOP + PLOT.height * (1 - (ns / step - from) / (to - from));
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => (from + index) * step);
  const drawn = lines.map(({ lanes, points }) => {
    const path = points.map(({ time, ahead }) => `${xAt(time, timeline)},${y(ahead)}`).join(" ");
    const last = y(points.at(-1)?.ahead ?? 0);
    const name = lanes.join(", ");
    const line = titled(element("polyline", { class: "clock", points: path }), `clock of ${name}`);
    return line + label(LEFT + PLOT.width, last < TOP + 16 ? last + 14 : last - 5, name, "end");
  });
  return chart("How far wall clocks are ahead of true time", [
    ...faultBands(timeline.faults, timeline),
    ...ticks.map((ns) => level(y(ns), formatMs(ns))),
    element("line", { class: "zero", x1: LEFT, x2: LEFT + PLOT.width, y1: y(0), y2: y(0) }),
    ...drawn,
    ...timeAxis(timeline.end),
  ]);
}
