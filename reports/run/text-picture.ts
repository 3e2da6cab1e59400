import { RESOURCE } from "../../harness/core/topology.ts";
import { columnScale, tickLabel, type ColumnScale } from "./column-scale.ts";
import { isPromotion, type FaultSpan } from "./fault-spans.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import { intersection, touches, uncovered, type Interval } from "../../harness/history/interval.ts";
import type { Moment } from "./moments.ts";
import { glyphs, type Glyphs, type Span, type TextStyle } from "../text-style.ts";
import type { ServerBand } from "./server-bands.ts";
import { barLabels } from "./share-words.ts";
import { TextRow } from "./text-row.ts";
import type { Timeline } from "./timeline.ts";
import { formatMs, formatOverlap } from "../wording.ts";

/** The content of a picture. */
export interface TextScene {
  readonly timeline: Timeline;
  readonly window: Interval;
  /** Drawn from top to bottom. */
  readonly lanes: readonly string[];
  /** Numbered from 1 in this order. */
  readonly moments: readonly Moment[];
  /** When the property was violated. */
  readonly overlap?: Interval | undefined;
  /** What the row of that stretch is called. */
  readonly overlapSays?: string | undefined;
  /** Times besides the moments that must not be left out. */
  readonly instants?: readonly number[];
}

const INDENT = 2;

/** Draws the lanes of a scene over time, with an axis above, the overlap and a legend below. */
export function picture(scene: TextScene, style: TextStyle): readonly string[] {
  const labels = [...scene.lanes, ...scene.timeline.faults.map(({ kind }) => `  ${kind}`), scene.overlapSays ?? ""];
  const labelWidth = Math.min(18, Math.max(...labels.map((label) => label.length)));
  const columns = style.width - INDENT - labelWidth - 2;
  const { overlap } = scene;
  const scale = columnScale({
    window: scene.window,
    columns,
    instants: [...scene.moments.map(({ time }) => time), ...(scene.instants ?? [])],
    emphasis: overlap,
    tickDistance: Math.max(9, String(Math.round(scene.window.to / 1e6)).length + 5),
  });
  const drawing = new Drawing(scene, scale, style);
  const rows = [
    ...drawing.axis(),
    ...scene.lanes.flatMap((lane) => drawing.lane(lane)),
    ...(overlap === undefined ? [] : [drawing.overlap(overlap)]),
  ];
  return [
    ...rows.map((row) =>
      style.line(
        { text: " ".repeat(INDENT) + fitted(row.label, labelWidth) + "  ", style: row.labelStyle },
        ...row.spans(),
      ),
    ),
    ...drawing.legend(rows),
  ];
}

/** Of the numbers of moments below a lane. */
const MOST_NUMBER_ROWS = 8;

class Drawing {
  readonly #scene: TextScene;
  readonly #scale: ColumnScale;
  readonly #style: TextStyle;
  readonly #glyphs: Glyphs;
  readonly #labelOf: (hold: HoldSpan) => string | undefined;

  constructor(scene: TextScene, scale: ColumnScale, style: TextStyle) {
    this.#scene = scene;
    this.#scale = scale;
    this.#style = style;
    this.#glyphs = glyphs(style.unicode);
    this.#labelOf = barLabels(scene.timeline, scene);
  }

  axis(): readonly TextRow[] {
    const labels = this.#row("ms", "dim");
    const ruler = this.#row("", "dim");
    ruler.fill(0, this.#scale.columns - 1, this.#glyphs.axis, "dim");
    for (const { column, time, step } of this.#scale.ticks) {
      const label = tickLabel(time, step);
      if (column + label.length > this.#scale.columns) continue;
      labels.write(column, label, "dim");
      ruler.put(column, this.#glyphs.tick, "dim");
    }
    this.#cut(ruler);
    return [labels, ruler];
  }

  lane(lane: string): readonly TextRow[] {
    const rows = lane.startsWith("client-")
      ? this.#client(lane)
      : lane === RESOURCE
        ? this.#resource()
        : this.#node(lane);
    for (const row of rows) this.#cut(row);
    return [...rows, ...this.#numbers(lane)];
  }

  overlap(overlap: Interval): TextRow {
    const row = this.#row(this.#scene.overlapSays ?? "violated", ["red", "bold"]);
    this.#span(row, overlap, this.#glyphs.overlap, ["red", "bold"]);
    const length = formatOverlap(overlap).replaceAll("\u{a0}", " ");
    const after = this.#scale.columnOf(overlap.to) + 2;
    const before = this.#scale.columnOf(overlap.from) - length.length - 1;
    this.#cut(row);
    if (after + length.length <= this.#scale.columns) row.write(after, length, "red");
    else if (before >= 0) row.write(before, length, "red");
    else row.write(this.#scale.columnOf(overlap.from) + 2, ` ${length} `, "red");
    return row;
  }

  /** Explains the characters in use. */
  legend(rows: readonly TextRow[]): readonly string[] {
    const used = rows.map((row) => row.text()).join("");
    const { lease, overrun, attempt, refusedTry, fault, promotion, accepted, refused, cut } = this.#glyphs;
    const { believed, givenTwice } = this.#glyphs;
    const meanings: readonly (readonly [string, string, Span["style"]])[] = [
      [lease, "holds, lease in force", "green"],
      [overrun, "holds, lease over", "yellow"],
      [attempt, "waits for an answer", "dim"],
      [refusedTry, "not granted", "dim"],
      ["?", "never answered", "dim"],
      [believed, "server thinks this client holds", "cyan"],
      [givenTwice, `server ${this.#scene.timeline.givesTwice}`, "red"],
      [fault, "fault", "magenta"],
      [promotion, "becomes master", "cyan"],
      [accepted, "write taken", "green"],
      [refused, "write refused", "yellow"],
    ];
    const entries = meanings
      .filter(([glyph]) => used.includes(glyph))
      .map(([glyph, meaning, style]) => ({
        plain: `${glyph} ${meaning}`,
        dressed: `${this.#style.paint(glyph, style)} ${meaning}`,
      }));
    const left = this.#scale.breaks.reduce((sum, { from, to }) => sum + to - from, 0);
    if (left > 0) {
      const text = `${cut} time left out (${formatMs(left)} in all)`;
      entries.push({ plain: text, dressed: text });
    }
    return flow(entries, this.#style.width - INDENT).map((line) => " ".repeat(INDENT) + line);
  }

  #client(lane: string): readonly TextRow[] {
    const { timeline, window } = this.#scene;
    const { refusedTry } = this.#glyphs;
    const row = this.#row(lane);
    for (const span of timeline.operations) {
      if (span.actor !== lane || span.f !== "acquire" || !touches(span, window)) continue;
      this.#span(row, span, this.#glyphs.attempt, "dim");
      if (span.outcome !== "ok")
        row.put(this.#scale.columnOf(span.to), span.outcome === "fail" ? refusedTry : "?", "dim");
    }
    for (const hold of timeline.holds) {
      if (hold.actor !== lane || !touches(hold, window)) continue;
      for (const part of uncovered(hold, hold.lease)) this.#span(row, part, this.#glyphs.overrun, "yellow");
      for (const part of hold.lease) this.#span(row, part, this.#glyphs.lease, "green");
      this.#nameShare(row, hold);
    }
    return [row, ...this.#faultRows(this.#faultsOf(lane))];
  }

  /** Which key it holds, where there are several; whether it reads or writes, or how many permits it has. */
  #nameShare(row: TextRow, hold: HoldSpan): void {
    const [lease] = hold.lease;
    const label = this.#labelOf(hold);
    if (label !== undefined && lease !== undefined) this.#name(row, lease, [` ${label} `, label], "green");
  }

  #node(lane: string): readonly TextRow[] {
    const row = this.#row(lane);
    row.fill(0, this.#scale.columns - 1, this.#glyphs.node, "dim");
    const [promotions, faults] = split(this.#faultsOf(lane), isPromotion);
    const { timeline, window } = this.#scene;
    const bands = timeline.bands.filter((band) => band.server === lane && touches(band, window));
    for (const band of bands) this.#belief(row, band);
    // A single kind of fault is drawn and named on the node's own line. Several kinds would cover each other or the
    // node's beliefs.
    const single = bands.length === 0 && new Set(faults.map(({ kind }) => kind)).size === 1;
    if (single) for (const fault of faults) this.#namedFault(row, fault);
    for (const { from } of promotions) row.put(this.#scale.columnOf(from), this.#glyphs.promotion, "cyan");
    return single ? [row] : [row, ...this.#faultRows(faults)];
  }

  #namedFault(row: TextRow, fault: FaultSpan): void {
    this.#span(row, fault, this.#glyphs.fault, "magenta");
    this.#name(row, fault, [` ${fault.kind} `], "magenta");
  }

  /** Whom a server thinks the holder is, from when until when. */
  #belief(row: TextRow, band: ServerBand): void {
    const style: Span["style"] = band.twice ? ["red", "bold"] : "cyan";
    this.#span(row, band, band.twice ? this.#glyphs.givenTwice : this.#glyphs.believed, style);
    const name = band.actor;
    const names = [` ${name} `, name, name.replace("client-", "c-")];
    this.#name(row, band, band.twice ? [` ${this.#scene.timeline.givesTwice}: ${name} `, ...names] : names, style);
  }

  /** Writes the first of these names that fits into a stretch, as far to the left as no break is crossed. */
  #name(row: TextRow, part: Interval, names: readonly string[], style: Span["style"]): void {
    const from = this.#scale.columnOf(Math.max(part.from, this.#scene.window.from));
    const to = this.#scale.columnOf(Math.min(part.to, this.#scene.window.to));
    const gaps = [
      from,
      ...this.#scale.breaks.map(({ column }) => column).filter((column) => column > from && column < to),
    ];
    for (const name of names) {
      const gap = gaps.find((start, index) => start + 2 + name.length < (gaps[index + 1] ?? to));
      if (gap === undefined) continue;
      row.write(gap + 2, name, style);
      return;
    }
  }

  #faultRows(faults: readonly FaultSpan[]): readonly TextRow[] {
    return [...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, alike]) => {
      const row = this.#row(`  ${kind}`, "dim");
      for (const fault of alike) this.#span(row, fault, this.#glyphs.fault, "magenta");
      return row;
    });
  }

  #resource(): readonly TextRow[] {
    const { timeline, window } = this.#scene;
    const row = this.#row(RESOURCE);
    for (const fault of this.#faultsOf(RESOURCE)) this.#span(row, fault, this.#glyphs.fault, "magenta");
    for (const { time, accepted } of timeline.writes) {
      if (time < window.from || time > window.to) continue;
      const glyph = accepted ? this.#glyphs.accepted : this.#glyphs.refused;
      row.put(this.#scale.columnOf(time), glyph, accepted ? "green" : "yellow");
    }
    return [row];
  }

  /** The numbers of a lane's moments below it, in as many rows as they need; what these have no room for is left out. */
  #numbers(lane: string): readonly TextRow[] {
    const rows: TextRow[] = [];
    this.#scene.moments.forEach((moment, index) => {
      if (moment.lane !== lane) return;
      const number = String(index + 1);
      const column = Math.min(this.#scale.columnOf(moment.time), this.#scale.columns - number.length);
      let row = rows.find((candidate) => candidate.isFree(column - 1, number.length + 2));
      if (row === undefined && rows.length < MOST_NUMBER_ROWS) rows.push((row = this.#row("", "bold")));
      row?.write(column, number, "bold");
    });
    return rows;
  }

  #faultsOf(lane: string): readonly FaultSpan[] {
    const { timeline, window } = this.#scene;
    return timeline.faults.filter(
      (fault) => fault.lanes.includes(lane) && fault.outcome !== "skipped" && touches(fault, window),
    );
  }

  /** Fills the columns of a stretch, at least one; parts outside the window are not drawn. */
  #span(row: TextRow, part: Interval, glyph: string, style: Span["style"]): void {
    const { window } = this.#scene;
    const shown = intersection(part, window) ?? {
      from: Math.max(part.from, window.from),
      to: Math.max(part.from, window.from),
    };
    const first = this.#scale.columnOf(shown.from);
    // A stretch ends where its last moment begins, so that two adjacent stretches do not share a column.
    row.fill(first, Math.max(first, this.#scale.columnOf(shown.to) - 1), glyph, style);
  }

  #cut(row: TextRow): void {
    for (const { column } of this.#scale.breaks) row.put(column, this.#glyphs.cut, "dim");
  }

  #row(label: string, style?: Span["style"]): TextRow {
    return new TextRow(label, style, this.#scale.columns);
  }
}

function split<T>(items: readonly T[], is: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(is), items.filter((item) => !is(item))];
}

function fitted(label: string, width: number): string {
  return label.length <= width ? label.padEnd(width) : `${label.slice(0, width - 2)}..`;
}

/** Entries side by side, as many as fit on a line. */
function flow(
  entries: readonly { readonly plain: string; readonly dressed: string }[],
  width: number,
): readonly string[] {
  const lines: string[] = [];
  let used = Infinity;
  for (const { plain, dressed } of entries) {
    if (used + 3 + plain.length > width) {
      lines.push(dressed);
      used = plain.length;
    } else {
      lines.push(`${lines.pop() ?? ""}   ${dressed}`);
      used += 3 + plain.length;
    }
  }
  return lines;
}
