import type { Interval } from "../../harness/history/interval.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";
import { formatMsFigure } from "../wording.ts";

/** A time axis in columns, of a character or of a few pixels: linear, except that long stretches without events are left out. */
export interface ColumnScale {
  readonly columns: number;
  /** The column of a time, from 0 to `columns - 1`; times outside are clamped. */
  columnOf(time: number): number;
  /** The exact place of a time, from 0 to `columns`; times outside are clamped. */
  placeOf(time: number): number;
  /** Where time was left out: one column each, ascending. */
  readonly breaks: readonly (Interval & { readonly column: number })[];
  /** Round times with their columns, ascending, at least `tickDistance` apart; one in each drawn stretch with room for it. */
  readonly ticks: readonly Tick[];
}

interface Tick {
  readonly column: number;
  readonly time: number;
  /** The time is a multiple of this, in nanoseconds. */
  readonly step: number;
}

export interface ColumnScaleOptions {
  readonly window: Interval;
  readonly columns: number;
  /** The times that matter: the stretch between two neighbours is empty and may be left out. */
  readonly instants: readonly number[];
  /** The stretch that must stay wide enough to be seen, if there is one. */
  readonly emphasis?: Interval | undefined;
  /** Columns that the label of a tick needs. */
  readonly tickDistance: number;
}

/** A stretch of the axis; a `cut` one has a fixed width regardless of its length. */
interface Piece extends Interval {
  cut: boolean;
}

/** Columns of a stretch that was left out: air, the mark, air. */
const BREAK_COLUMNS = 3;
/** A stretch is left out only when it takes more columns than this. */
const WORTH_CUTTING = 10;

/**
 * Cuts the longest empty stretches, one after another, until the emphasis (or, without one, the shortest distance of
 * instants) takes an eighth of the columns, or no stretch is left that is worth cutting.
 */
export function columnScale(options: ColumnScaleOptions): ColumnScale {
  const pieces = piecesOf(options);
  for (;;) {
    const perColumn = columnLength(pieces, options.columns);
    if (isWide(options, pieces, perColumn)) break;
    const longest = pieces
      .filter((piece) => !piece.cut && !inside(piece, options.emphasis))
      .reduce<Piece | undefined>(
        (best, piece) => (best !== undefined && length(best) >= length(piece) ? best : piece),
        undefined,
      );
    if (longest === undefined || length(longest) / perColumn <= WORTH_CUTTING) break;
    longest.cut = true;
  }
  return place(pieces, options);
}

function piecesOf({ window, instants, emphasis }: ColumnScaleOptions): Piece[] {
  const within = instants.filter((time) => time > window.from && time < window.to);
  const edges =
    emphasis === undefined ? [] : [emphasis.from, emphasis.to].filter((t) => t > window.from && t < window.to);
  const times = [...new Set([window.from, ...within, ...edges, window.to])].sort((a, b) => a - b);
  return times.slice(1).flatMap((to, index) => {
    const from = times[index] ?? window.from;
    // A cut stretch keeps a little time at both ends, so that events there do not touch the mark.
    const most = emphasis === undefined || length(emphasis) === 0 ? Infinity : length(emphasis) / 4;
    const air = Math.min((to - from) * 0.04, most);
    return [
      { from, to: from + air, cut: false },
      { from: from + air, to: to - air, cut: false },
      { from: to - air, to, cut: false },
    ];
  });
}

function isWide({ emphasis, columns }: ColumnScaleOptions, pieces: readonly Piece[], perColumn: number): boolean {
  if (emphasis !== undefined && emphasis.to > emphasis.from) return length(emphasis) / perColumn >= columns / 8;
  const longest = Math.max(...pieces.filter(({ cut }) => !cut).map(length));
  return longest / perColumn <= columns / 2;
}

function columnLength(pieces: readonly Piece[], columns: number): number {
  const linear = pieces.filter(({ cut }) => !cut).reduce((sum, piece) => sum + length(piece), 0);
  const left = columns - BREAK_COLUMNS * pieces.filter(({ cut }) => cut).length;
  return Math.max(linear, 1) / Math.max(left, 1);
}

function place(pieces: readonly Piece[], { window, columns, tickDistance }: ColumnScaleOptions): ColumnScale {
  const perColumn = columnLength(pieces, columns);
  let at = 0;
  const placed = pieces.map((piece) => {
    const start = at;
    at += piece.cut ? BREAK_COLUMNS : length(piece) / perColumn;
    return { ...piece, start, width: at - start };
  });
  const placeOf = (time: number): number => {
    const piece = placed.find(({ to }) => time <= to) ?? placed.at(-1);
    if (piece === undefined) return 0;
    const share = length(piece) === 0 ? 0 : (Math.max(time, window.from) - piece.from) / length(piece);
    return Math.max(0, Math.min(columns, piece.start + Math.min(1, share) * piece.width));
  };
  const columnOf = (time: number): number => Math.min(columns - 1, Math.floor(placeOf(time)));
  const breaks = placed
    .filter(({ cut }) => cut)
    .map(({ from, to, start }) => ({ from, to, column: Math.min(columns - 1, Math.floor(start + BREAK_COLUMNS / 2)) }));
  const step = roundStep(perColumn * tickDistance);
  const regular = ticksOf(placed, step, tickDistance, columnOf);
  const between = stretchesOf(placed)
    .filter(({ from, to }) => !regular.some(({ time }) => time >= from && time <= to))
    .flatMap((stretch) => tickWithin(stretch, { step, distance: tickDistance, columnOf, others: regular }) ?? []);
  const ticks = [...regular, ...between].toSorted((one, other) => one.time - other.time);
  return { columns, columnOf, placeOf, breaks, ticks };
}

/** What is drawn to scale between what was left out. */
function stretchesOf(placed: readonly Piece[]): readonly Interval[] {
  const stretches: { from: number; to: number }[] = [];
  placed.forEach(({ from, to, cut }, index) => {
    const last = stretches.at(-1);
    if (cut) return;
    if (last === undefined || placed[index - 1]?.cut === true) stretches.push({ from, to });
    else last.to = to;
  });
  return stretches;
}

/** The roundest time within a stretch that is far enough from the other ticks, at most one digit finer than they are. */
function tickWithin(
  { from, to }: Interval,
  {
    step: regular,
    distance,
    columnOf,
    others,
  }: {
    readonly step: number;
    readonly distance: number;
    readonly columnOf: (time: number) => number;
    readonly others: readonly Tick[];
  },
): Tick | undefined {
  for (let step = roundStep(to); step >= Math.max(1, regular / 10); step = finer(step)) {
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      const column = columnOf(time);
      if (others.every((other) => Math.abs(other.column - column) >= distance)) return { column, time, step };
    }
  }
  return undefined;
}

/** The round step below a round step. */
function finer(step: number): number {
  return String(step).startsWith("5") ? (step / 5) * 2 : step / 2;
}

/** Round times in the stretches that are drawn to scale, none nearer than `distance` columns to the one before. */
function ticksOf(
  placed: readonly Piece[],
  step: number,
  distance: number,
  columnOf: (time: number) => number,
): ColumnScale["ticks"] {
  const ticks: Tick[] = [];
  for (const { from, to, cut } of placed) {
    if (cut) continue;
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      const column = columnOf(time);
      if (ticks.length === 0 || column - (ticks.at(-1)?.column ?? 0) >= distance) ticks.push({ column, time, step });
    }
  }
  return ticks;
}

/** The smallest of 1, 2, 5 times a power of ten that is not below `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least) ?? 10;
  return factor * power;
}

function length({ from, to }: Interval): number {
  return to - from;
}

function inside(piece: Interval, emphasis: Interval | undefined): boolean {
  return emphasis !== undefined && piece.from >= emphasis.from && piece.to <= emphasis.to;
}

/** A round time in milliseconds, with the digits that distinguish it from its neighbours. */
export function tickLabel(time: number, step: number): string {
  const digits = Math.max(0, -Math.floor(Math.log10(step / 1e6) + 1e-9));
  return digits === 0 ? formatMsFigure(time) : inFigures(time / 1e6, Math.min(6, digits));
}
