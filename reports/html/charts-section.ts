import { inFigures } from "../../harness/core/words/in-figures.ts";
import { OPERATIONS, type OperationName } from "../../harness/history/history.ts";
import { bucketsOf, marginsOf, quantile, type Bucket } from "../run/metrics.ts";
import type { Timeline } from "../run/timeline.ts";
import { roundStep } from "../run/column-scale.ts";
import { count, formatMs, formatMsFigure } from "../wording.ts";
import { element } from "../xml.ts";
import { chart, extent, faultBands, HEIGHT, label, LEFT, level, PLOT, timeAxis, titled, TOP } from "./chart-parts.ts";
import { clockFigure } from "./clock-figure.ts";
import { html, type Markup } from "./markup.ts";

/** Throughput, latency, lease margins and clocks of a run, with the faults shaded. */
export function chartsSection(timeline: Timeline): Markup {
  if (timeline.operations.length === 0) return html`<p class="soft">No operation was invoked.</p>`;
  const buckets = bucketsOf(timeline, Math.max(12, Math.min(72, Math.ceil(timeline.operations.length / 4))));
  const margins = marginsOf(timeline.holds);
  return html`<div class="charts">
    <figure>
      <figcaption>Completions per second, by outcome</figcaption>
      ${throughput(buckets, timeline)}
      <p class="key">
        <i class="swatch ok"></i> ok <i class="swatch fail"></i> refused <i class="swatch info"></i> unanswered
        <i class="swatch fault"></i> fault
      </p>
    </figure>
    <figure>
      <figcaption>Latency of successful operations, median to maximum, logarithmic</figcaption>
      ${latency(buckets, timeline)}
      <p class="key">${operationsIn(buckets).map((f) => html`<i class="swatch op-${f}"></i> ${f} `)}</p>
    </figure>
    <figure>
      <figcaption>Lease left at the end of each hold</figcaption>
      ${margins.length === 0 ? html`<p class="soft">No hold ended.</p>` : histogram(margins)}
      ${margins.length > 0 && html`<p class="key">${marginWords(margins)}</p>`}
    </figure>
    ${clockFigure(timeline)}
  </div>`;
}

function operationsIn(buckets: readonly Bucket[]): readonly OperationName[] {
  return OPERATIONS.filter((f) => buckets.some(({ latencies }) => latencies[f] !== undefined));
}

function throughput(buckets: readonly Bucket[], timeline: Timeline): Markup {
  const seconds = ((buckets[0]?.to ?? 1) - (buckets[0]?.from ?? 0)) / 1e9;
  const most = Math.max(...buckets.map(({ ok, fail, info }) => (ok + fail + info) / seconds), 1);
  const step = roundStep(most / 4);
  const y = (rate: number): number => TOP + PLOT.height * (1 - rate / (Math.ceil(most / step) * step));
  const bars = buckets.flatMap((bucket) => {
    const [x, width] = extent(bucket, timeline);
    let base = 0;
    return (["ok", "fail", "info"] as const).map((outcome) => {
      const top = base + bucket[outcome] / seconds;
      const bar = element("rect", {
        class: `bar-${outcome}`,
        x: x + 0.5,
        width: Math.max(0.5, width - 1),
        y: y(top),
        height: Math.max(0, y(base) - y(top)),
      });
      base = top;
      return bucket[outcome] === 0
        ? ""
        : titled(bar, `${bucket[outcome]} ${outcome}, ${formatMsFigure(bucket.from)} to ${formatMs(bucket.to)}`);
    });
  });
  const ticks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
  return chart("Completions per second over time", [
    ...faultBands(timeline.faults, timeline),
    ...ticks.map((rate) => level(y(rate), String(rate))),
    ...bars,
    ...timeAxis(timeline.end),
  ]);
}

function latency(buckets: readonly Bucket[], timeline: Timeline): Markup {
  const all = buckets.flatMap(({ latencies }) => Object.values(latencies));
  if (all.length === 0) return html`<p class="soft">No operation succeeded.</p>`;
  const low = Math.floor(Math.log10(Math.max(1e3, Math.min(...all.map(({ median }) => median)))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...all.map(({ most }) => most), 1e3))));
  const y = (ns: number): number =>
    TOP + PLOT.height * (1 - (Math.log10(Math.max(ns, 10 ** low)) - low) / (high - low));
  const marks = operationsIn(buckets).flatMap((f, order, operations) =>
    buckets.flatMap((bucket) => {
      const found = bucket.latencies[f];
      if (found === undefined) return [];
      const [left, width] = extent(bucket, timeline);
      const x = left + (width * (order + 1)) / (operations.length + 1);
      const line = element("line", { class: `range op-${f}`, x1: x, x2: x, y1: y(found.median), y2: y(found.most) });
      const dot = element("circle", { class: `dot op-${f}`, cx: x, cy: y(found.median), r: 2.6 });
      const words = `${f} at ${formatMs(bucket.from)}: median ${formatMs(found.median)}, P99 ${formatMs(found.p99)}, largest ${formatMs(found.most)}`;
      return [titled(line + dot, words)];
    }),
  );
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  return chart("Latency over time", [
    ...faultBands(timeline.faults, timeline),
    ...ticks.map((ns) => level(y(ns), formatMs(ns))),
    ...marks,
    ...timeAxis(timeline.end),
  ]);
}

function histogram(margins: readonly number[]): Markup {
  const [least, most] = [Math.min(0, margins[0] ?? 0), Math.max(0, margins.at(-1) ?? 0)];
  const step = roundStep(Math.max(1, most - least) / 24);
  const [from, to] = [Math.floor(least / step) * step, (Math.floor(most / step) + 1) * step];
  const bins = Math.round((to - from) / step);
  const counts = Array.from({ length: bins }, () => 0);
  for (const margin of margins) counts[Math.min(bins - 1, Math.floor((margin - from) / step))]! += 1;
  const tallest = Math.max(...counts);
  const x = (ns: number): number => LEFT + (PLOT.width * (ns - from)) / (to - from);
  const bars = counts.map((number, index) => {
    if (number === 0) return "";
    const start = from + index * step;
    const height = (PLOT.height * number) / tallest;
    const bar = element("rect", {
      class: start < 0 ? "bar-overrun" : "bar-ok",
      x: x(start) + 0.5,
      width: Math.max(1, x(start + step) - x(start) - 1),
      y: TOP + PLOT.height - height,
      height,
    });
    return titled(bar, `${count(number, "hold")} with ${formatMsFigure(start)} to ${formatMs(start + step)} left`);
  });
  const tick = roundStep((to - from) / 6);
  const ticks = Array.from(
    { length: Math.floor((to - from) / tick) + 2 },
    (_, index) => (Math.ceil(from / tick) + index) * tick,
  );
  return chart("Histogram of the lease left at the end of holds", [
    level(TOP, String(tallest)),
    ...bars,
    ...ticks.filter((ns) => ns <= to).map((ns) => label(x(ns), HEIGHT - 8, formatMs(ns), "middle")),
    element("line", { class: "zero", x1: x(0), x2: x(0), y1: TOP - 4, y2: TOP + PLOT.height }),
  ]);
}

function marginWords(margins: readonly number[]): string {
  const overruns = margins.filter((margin) => margin < 0).length;
  const median = `median ${formatMs(quantile(margins, 0.5))}, smallest ${formatMs(margins[0] ?? 0)}`;
  return `${count(margins.length, "hold")}, ${inFigures(overruns)} outlived ${overruns === 1 ? "its" : "their"} lease; ${median}`;
}
