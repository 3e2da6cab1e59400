import { printable } from "../../harness/core/printable.ts";
import { RESOURCE } from "../../harness/core/topology.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import { intersection, touches, uncovered, type Interval } from "../../harness/history/interval.ts";
import { columnScale, tickLabel, type ColumnScale } from "../run/column-scale.ts";
import { isPromotion, type FaultSpan } from "../run/fault-spans.ts";
import type { Moment } from "../run/moments.ts";
import type { ServerBand } from "../run/server-bands.ts";
import { barLabels } from "../run/share-words.ts";
import type { Timeline } from "../run/timeline.ts";
import { formatMs, formatOverlap } from "../wording.ts";
import { element, escapeXml } from "../xml.ts";
import { CHARACTER, drawPromotion, firstRoom, round, text, type DrawnPromotion } from "./story-labels.ts";

/** What a picture of a stretch of a run shows. */
export interface TimelineScene {
  readonly timeline: Timeline;
  readonly window: Interval;
  /** Drawn from top to bottom. */
  readonly lanes: readonly string[];
  /** Numbered from 1 in this order. */
  readonly moments: readonly Moment[];
  /** When the property was violated, and by whom: the lanes in conflict. */
  readonly overlap?: Interval | undefined;
  /** What happens then: `both hold`. */
  readonly overlapSays?: string | undefined;
  readonly conflicting: readonly string[];
  /** Times besides the moments that must not be left out. */
  readonly instants?: readonly number[];
  /** What a screen reader says instead. */
  readonly title: string;
}

/** Where the number of a moment stands: below its lane. */
interface NumberPlace {
  readonly index: number;
  readonly x: number;
  readonly row: number;
}

/** Pixels of a column of the axis. */
const COLUMN = 4;
const RIGHT = 12;
/** Width of the gap where time was left out. */
const CUT = 8;
/** Below this width names are shortened. */
const NARROW = 600;
const AXIS = 34;
const BAR = 14;
const NUMBER = 16;
const FAULT = 11;
/** Rows of numbers below a lane; further numbers share the last. */
const MOST_ROWS = 3;

/**
 * Lanes over time, on an axis that leaves out long stretches in which nothing happens, so that what lasted a millisecond
 * can be seen beside what lasted a minute. An SVG that takes the colours of its page. Each moment is a group
 * `.moment[data-moment]` with a line across all lanes, which the page shows for the moment that it tells of.
 * @param width of the picture in pixels
 */
export function drawTimeline(scene: TimelineScene, width: number): string {
  return new Picture(scene, width).render();
}

class Picture {
  readonly #scene: TimelineScene;
  readonly #width: number;
  readonly #left: number;
  readonly #scale: ColumnScale;
  readonly #labelOf: (hold: HoldSpan) => string | undefined;
  /** Words, drawn in front of everything: a cut must not go through them. */
  readonly #labels: string[] = [];

  constructor(scene: TimelineScene, width: number) {
    this.#scene = scene;
    this.#labelOf = barLabels(scene.timeline, scene);
    this.#width = width;
    const longest = Math.max(0, ...scene.lanes.map((lane) => this.#nameOf(lane).length));
    this.#left = Math.max(width < NARROW ? 72 : 92, longest * CHARACTER + 14);
    this.#scale = columnScale({
      window: scene.window,
      columns: Math.floor((width - this.#left - RIGHT) / COLUMN),
      instants: [...scene.moments.map(({ time }) => time), ...(scene.instants ?? [])],
      emphasis: scene.overlap,
      tickDistance: (Math.max(7, String(Math.round(scene.window.to / 1e6)).length + 5) * CHARACTER * 1.3) / COLUMN,
    });
  }

  render(): string {
    const { lanes, title } = this.#scene;
    const numbers = new Map(lanes.map((lane) => [lane, this.#numberRows(lane)]));
    const tops = new Map<string, number>();
    let y = AXIS + (this.#scene.overlap === undefined ? 4 : 20);
    for (const lane of lanes) {
      tops.set(lane, y);
      y +=
        BAR +
        8 +
        this.#faultRows(lane).length * FAULT +
        Math.max(0, ...(numbers.get(lane) ?? []).map(({ row }) => row + 1)) * NUMBER +
        4;
    }
    const bottom = y;
    const shape = { viewBox: `0 0 ${this.#width} ${bottom}`, width: this.#width, height: bottom, role: "img" };
    const attributes = {
      xmlns: "http://www.w3.org/2000/svg",
      ...shape,
      class: "story-picture",
      "aria-label": printable(title),
    };
    const drawn = [
      ...lanes.map((lane, index) =>
        this.#ground(tops.get(lane) ?? 0, tops.get(lanes[index + 1] ?? "") ?? bottom, index),
      ),
      ...this.#overlap(tops, bottom),
      ...this.#axis(bottom),
      ...lanes.flatMap((lane) => this.#lane(lane, tops.get(lane) ?? 0)),
      ...this.#cuts(bottom),
    ];
    const moments = lanes.flatMap((lane) => this.#moments(lane, tops.get(lane) ?? 0, bottom, numbers.get(lane) ?? []));
    return element("svg", attributes, [...drawn, ...this.#labels, ...moments]);
  }

  #x(time: number): number {
    return this.#left + this.#scale.placeOf(time) * COLUMN;
  }

  #ground(top: number, end: number, index: number): string {
    if (index % 2 === 1) return "";
    return element("rect", { class: "lane-ground", x: 0, y: top - 5, width: this.#width, height: end - top });
  }

  /** A label that would stand on the one before it is left out; its line stays. */
  #axis(bottom: number): readonly string[] {
    const right = this.#width - RIGHT;
    let free = 0;
    return [
      element("line", { class: "axis", x1: this.#left, x2: right, y1: AXIS - 12, y2: AXIS - 12 }),
      ...this.#scale.ticks.map(({ column, time, step }, index) => {
        const x = this.#left + column * COLUMN;
        const label = `${tickLabel(time, step)}${index === 0 ? " ms" : ""}`;
        const length = label.length * CHARACTER;
        const anchor = x + length / 2 > right ? "end" : "middle";
        const from = anchor === "end" ? x - length : x - length / 2;
        if (from >= free) {
          this.#labels.push(text(x, 14, "tick", label, anchor));
          free = from + length + 4;
        }
        return element("line", { class: "grid", x1: x, x2: x, y1: AXIS - 12, y2: bottom });
      }),
    ];
  }

  /** Marks where time was left out. The axis shows how much, where there is room. */
  #cuts(bottom: number): readonly string[] {
    return this.#scale.breaks.map(({ column, from, to }) => {
      const x = this.#left + column * COLUMN;
      return element("g", { class: "cut" }, [
        element("title", {}, [escapeXml(`${formatMs(to - from)} left out`)]),
        element("rect", { x: x - CUT / 2, y: AXIS - 14, width: CUT, height: bottom - AXIS + 14 }),
        element("path", { d: `M${x - 4} ${AXIS - 6}l8 -8M${x - 4} ${AXIS - 10}l8 -8` }),
      ]);
    });
  }

  /** The stretch of the violation: behind the lanes in conflict, and no others. */
  #overlap(tops: ReadonlyMap<string, number>, bottom: number): readonly string[] {
    const { overlap, overlapSays = "violated", conflicting, lanes } = this.#scene;
    if (overlap === undefined) return [];
    const between = lanes.map((lane, index) => ({
      lane,
      top: tops.get(lane) ?? 0,
      end: tops.get(lanes[index + 1] ?? "") ?? bottom,
    }));
    const touched = between.filter(({ lane }) => conflicting.length === 0 || conflicting.includes(lane));
    const [x, width] = this.#span(overlap);
    const label = `${overlapSays}: ${formatOverlap(overlap)}`;
    const room = label.length * CHARACTER;
    const middle = Math.min(Math.max(x + width / 2, this.#left + room / 2), this.#width - RIGHT - room / 2);
    this.#labels.push(text(middle, AXIS + 2, "overlap-label", label, "middle"));
    return [
      ...touched.map(({ top, end }) => element("rect", { class: "overlap", x, y: top - 5, width, height: end - top })),
      element("line", { class: "overlap-edge", x1: x, x2: x + width, y1: AXIS + 6, y2: AXIS + 6 }),
    ];
  }

  #lane(lane: string, top: number): readonly string[] {
    const drawn = lane.startsWith("client-")
      ? this.#client(lane, top)
      : lane === RESOURCE
        ? this.#resource(top)
        : this.#node(lane, top);
    this.#labels.push(text(this.#left - 8, top + 11, "lane-name", this.#nameOf(lane), "end"));
    return [...drawn, ...this.#faults(lane, top + BAR + 3)];
  }

  #nameOf(lane: string): string {
    return this.#width < NARROW ? lane.replace(/^client-/, "c-").replace(/^sentinel-/, "sent-") : lane;
  }

  #client(lane: string, top: number): readonly string[] {
    const { timeline, window } = this.#scene;
    let marked = Number.NEGATIVE_INFINITY;
    const tries = timeline.operations
      .filter((span) => span.actor === lane && span.f === "acquire" && touches(span, window))
      .flatMap((span) => {
        const [x, width] = this.#span(span);
        const line = element("line", { class: "attempt", x1: x, x2: x + width, y1: top + BAR / 2, y2: top + BAR / 2 });
        // Of many tries in one place, as where time is left out, one mark stands for all: together they are a blot.
        if (span.outcome === "ok" || x + width - marked < CHARACTER) return [line];
        marked = x + width;
        const glyph = span.outcome === "fail" ? "×" : "?";
        return [line, text(marked, top + 11, `refusal ${span.outcome}`, glyph, "middle")];
      });
    const holds = timeline.holds
      .filter((hold) => hold.actor === lane && touches(hold, window))
      .flatMap((hold) => {
        this.#nameShare(hold, top);
        return [
          ...uncovered(hold, hold.lease).map((part) => this.#bar("overrun", part, top)),
          ...hold.lease.map((part) => this.#bar("lease", part, top)),
        ];
      });
    return [...tries, ...holds];
  }

  /** Which key it holds of several, and how it shares it, where its bar has room for it. */
  #nameShare(hold: HoldSpan, top: number): void {
    const label = this.#labelOf(hold);
    const [lease] = hold.lease;
    if (label === undefined || lease === undefined) return;
    const place = firstRoom(this.#stretch(lease), this.#cutStretches(), label.length * CHARACTER + 8);
    if (place !== undefined) this.#labels.push(text(place.from + 4, top + 10.5, "share-label", label, "start"));
  }

  /** What a server thinks: who holds, until when. */
  #bands(lane: string, bands: readonly ServerBand[], top: number): readonly string[] {
    const { conflicting } = this.#scene;
    return bands.map((band) => {
      const [x, width] = this.#span(band);
      const name = band.actor;
      const which = conflicting.indexOf(name);
      const kind = `band band-${which < 0 ? "other" : which % 2}${band.twice ? " twice" : ""}`;
      const title = element("title", {}, [escapeXml(`${lane} thinks ${name} holds ${band.key}`)]);
      return element("rect", { class: kind, x, y: top, width, height: BAR, rx: 1.5 }, [title]);
    });
  }

  /** Names whom a server thinks of, second grants first; a name that would stand on other words is left out. */
  #nameBands(bands: readonly ServerBand[], top: number, promoted: readonly Interval[]): void {
    const taken = [...promoted];
    for (const band of bands.toSorted((one, other) => Number(other.twice) - Number(one.twice))) {
      const stretch = this.#stretch(band);
      const name = band.actor;
      const short = this.#width < NARROW ? name.replace(/^client-/, "c-") : name;
      const whole = band.twice ? `${this.#scene.timeline.givesTwice}: ${short}` : short;
      const room = (words: string): number => words.length * CHARACTER + 3;
      // Words that stand out of their band cover its neighbours; the frame and the legend tell the rest.
      const free = (words: string): Interval | undefined =>
        firstRoom(stretch, [...taken, ...this.#cutStretches()], room(words));
      const says = free(whole) === undefined ? short : whole;
      const from = free(says)?.from ?? Math.min(stretch.from, this.#width - RIGHT - room(says));
      const place = { from: from + 3, to: from + room(says) };
      if (taken.some((other) => touches(other, place))) continue;
      taken.push(place);
      this.#labels.push(text(place.from, top + 10.5, band.twice ? "band-label twice" : "band-label", says, "start"));
    }
  }

  #node(lane: string, top: number): readonly string[] {
    const line = { class: "node-line", x1: this.#left, x2: this.#width - RIGHT, y1: top + BAR / 2, y2: top + BAR / 2 };
    const { timeline, window } = this.#scene;
    const bands = timeline.bands.filter((band) => band.server === lane && touches(band, window));
    const promotions = this.#faultsOf(lane).filter(isPromotion);
    const drawn = promotions.map(({ from }) => this.#promotion(this.#x(from), top, bands));
    this.#nameBands(
      bands,
      top,
      drawn.map(({ words }) => words),
    );
    return [element("line", line), ...this.#bands(lane, bands, top), ...drawn.map(({ mark }) => mark)];
  }

  #promotion(x: number, top: number, bands: readonly ServerBand[]): DrawnPromotion {
    const drawn = drawPromotion(x, top, {
      within: { from: this.#left, to: this.#width },
      taken: bands.map((band) => this.#stretch(band)),
      cuts: this.#cutStretches(),
    });
    this.#labels.push(drawn.label);
    return drawn;
  }

  #resource(top: number): readonly string[] {
    const { timeline, window } = this.#scene;
    return timeline.writes
      .filter(({ time }) => time >= window.from && time <= window.to)
      .map(({ time, accepted }) =>
        element("circle", {
          class: accepted ? "write" : "write-refused",
          cx: this.#x(time),
          cy: top + BAR / 2,
          r: 4.5,
        }),
      );
  }

  #faultRows(lane: string): readonly (readonly FaultSpan[])[] {
    return [
      ...Map.groupBy(
        this.#faultsOf(lane).filter((fault) => !isPromotion(fault)),
        ({ kind }) => kind,
      ).values(),
    ];
  }

  #faults(lane: string, top: number): readonly string[] {
    return this.#faultRows(lane).flatMap((alike, row) => {
      const y = top + row * FAULT;
      const spans = alike.map((fault) => {
        const [x, width] = this.#span(fault);
        return element("rect", { class: "fault", x, y: y + 3, width, height: 4 });
      });
      const [first] = alike;
      if (first === undefined) return spans;
      const [x] = this.#span(first);
      const name = printable(first.kind);
      const room = name.length * 5.4 + 6;
      const place = Math.min(Math.max(x + 3, this.#left), this.#width - RIGHT - room);
      this.#labels.push(text(place, y + 8.5, "fault-label", name, "start"));
      return spans;
    });
  }

  #faultsOf(lane: string): readonly FaultSpan[] {
    const { timeline, window } = this.#scene;
    return timeline.faults.filter(
      (fault) => fault.lanes.includes(lane) && fault.outcome !== "skipped" && touches(fault, window),
    );
  }

  /** The numbers of a lane's moments, in as many rows as they need. */
  #numberRows(lane: string): readonly NumberPlace[] {
    const ends: number[] = [];
    return this.#scene.moments.flatMap((moment, index) => {
      if (moment.lane !== lane) return [];
      const x = Math.min(this.#x(moment.time), this.#width - RIGHT - 7);
      const free = ends.findIndex((end) => end + 3 < x - 8);
      const row = free >= 0 ? free : Math.min(ends.length, MOST_ROWS - 1);
      ends[row] = x + 8;
      return [{ index, x, row }];
    });
  }

  #moments(lane: string, top: number, bottom: number, numbers: readonly NumberPlace[]): readonly string[] {
    const below = top + BAR + 4 + this.#faultRows(lane).length * FAULT;
    return numbers.map(({ index, x, row }) => {
      const exact = this.#x(this.#scene.moments[index]?.time ?? 0);
      const y = below + row * NUMBER + 7;
      return element("g", { class: "moment", "data-moment": index }, [
        element("line", { class: "cursor", x1: exact, x2: exact, y1: AXIS - 12, y2: bottom }),
        element("circle", { cx: x, cy: y, r: 7.5 }),
        text(x, y + 3.5, "moment-number", String(index + 1), "middle"),
      ]);
    });
  }

  #bar(name: string, part: Interval, top: number): string {
    const [x, width] = this.#span(part);
    return element("rect", { class: name, x, y: top, width, height: BAR, rx: 1.5 });
  }

  /** Where a stretch is drawn. */
  #stretch(part: Interval): Interval {
    const [from, width] = this.#span(part);
    return { from, to: from + width };
  }

  /** Where the axis is cut, and nothing may be written. */
  #cutStretches(): readonly Interval[] {
    return this.#scale.breaks.map(({ column }) => {
      const x = this.#left + column * COLUMN;
      return { from: x - CUT / 2, to: x + CUT / 2 };
    });
  }

  /** Left end and width of a stretch, at least two pixels; parts outside the window are not drawn. */
  #span(part: Interval): readonly [x: number, width: number] {
    const { window } = this.#scene;
    const shown = intersection(part, window) ?? {
      from: Math.max(part.from, window.from),
      to: Math.max(part.from, window.from),
    };
    const x = this.#x(shown.from);
    return [round(x), round(Math.max(2, this.#x(shown.to) - x))];
  }
}
