import { inFigures } from "../harness/core/words/in-figures.ts";

/** `12` -> `12 ms`, `1.25` -> `1.25 ms`, `12345` -> `12,345 ms`: three significant digits below 1 ms, whole above 100. */
export function formatMs(ns: number): string {
  return `${formatMsFigure(ns)} ms`;
}

/** The number of `formatMs` without its unit. */
export function formatMsFigure(ns: number): string {
  const ms = ns / 1e6;
  const size = Math.abs(ms);
  const digits = size >= 100 || Number.isInteger(ms) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return inFigures(ms, digits);
}
