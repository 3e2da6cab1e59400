import { inFigures } from "../../../harness/core/words/in-figures.ts";

/** The stretch of time that the timeline shows, in nanoseconds, and its place on the screen. */
export interface TimeView {
  readonly from: number;
  readonly to: number;
}

/** No closer than this: a microsecond across the screen. */
const LEAST = 1_000;

/** Keeps a view inside the run, with a small margin after its end, and limits the zoom. */
export function clampView({ from, to }: TimeView, end: number): TimeView {
  const whole = wholeView(end);
  const length = Math.min(Math.max(to - from, LEAST), whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: start, to: start + length };
}

/** The whole run. */
export function wholeView(end: number): TimeView {
  return { from: 0, to: Math.max(end * 1.01, LEAST) };
}

/** Zooms by a factor (below 1: closer) around a time that stays where it is. */
export function zoomView({ from, to }: TimeView, factor: number, around: number, end: number): TimeView {
  const length = Math.max((to - from) * factor, LEAST);
  const share = (around - from) / Math.max(1, to - from);
  return clampView({ from: around - length * share, to: around + length * (1 - share) }, end);
}

/** A view that shows a stretch with a margin of a tenth on both sides. */
export function viewAround({ from, to }: TimeView, end: number): TimeView {
  const air = Math.max((to - from) * 0.1, LEAST);
  return clampView({ from: from - air, to: to + air }, end);
}

export interface Tick {
  readonly time: number;
  readonly label: string;
}

/** Round times no nearer than `distance` pixels to one another, with their labels. */
export function ticksOf({ from, to }: TimeView, width: number, distance: number): readonly Tick[] {
  const step = roundStep(((to - from) * distance) / Math.max(1, width));
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * step).map((time) => ({
    time,
    label: timeLabel(time, step),
  }));
}

/** The smallest of 1, 2, 5 times a power of ten that is not below `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
}

/** A time with enough digits to distinguish it from its neighbour `step` away. */
export function timeLabel(time: number, step: number): string {
  const [unit, size] = step >= 1e9 ? ["s", 1e9] : step >= 1e3 && time < 1e6 && step < 1e6 ? ["µs", 1e3] : ["ms", 1e6];
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step / size) + 1e-9)));
  return `${inFigures(time / size, digits)} ${unit}`;
}

/** How far a clock is ahead, with its sign: `+11 s`, `-500 ms`. */
export function offsetLabel(ns: number): string {
  const size = Math.abs(ns);
  return `${ns < 0 ? "-" : "+"}${size >= 1e9 ? `${inFigures(Number((size / 1e9).toFixed(2)))} s` : `${inFigures(Number((size / 1e6).toFixed(2)))} ms`}`;
}

/** A length of time in words: `1.25 ms`. */
export function lengthLabel(ns: number): string {
  const ms = ns / 1e6;
  const size = Math.abs(ms);
  return `${inFigures(ms, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3)} ms`;
}
