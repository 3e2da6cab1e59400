import { UserError } from "../errors.ts";
import { inFigures } from "./in-figures.ts";

const UNITS_MS = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A unit of time. */
export type TimeUnit = keyof typeof UNITS_MS;

/**
 * Reads `250ms`, `1.5s`, `5m`, `1h30m` or a bare number, and returns milliseconds; undefined for what is no duration.
 * @param bare the unit of a number without one
 */
export function durationMs(text: string, bare: TimeUnit): number | undefined {
  const word = text.trim().toLowerCase();
  if (/^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(word)) return Number(word) * UNITS_MS[bare];
  if (!/^(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:us|ms|s|m|h|d))+$/.test(word)) return undefined;
  let total = 0;
  for (const [, figure, unit] of word.matchAll(/(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(us|ms|s|m|h|d)/g)) {
    total += Number(figure) * UNITS_MS[unit as TimeUnit];
  }
  return total;
}

/** From here on a deadline is told in seconds, in milliseconds. */
const LONG_MS = 10_000;

/** How long somebody waited, as people say it: `300` -> `300 ms`, `50_000` -> `50 s`. Times of a history are milliseconds throughout. */
export function deadlineWords(ms: number): string {
  return ms < LONG_MS ? `${inFigures(ms)} ms` : `${inFigures(ms / 1000)} s`;
}

/** Durations of the usual size where a bare number has that unit. */
const EXAMPLES: Partial<Record<TimeUnit, readonly [string, string]>> = { d: ["12h", "30d"], ms: ["10ms", "1s"] };

/**
 * The same for what must be a duration above zero.
 * @param name what to call it in the error: `--budget`
 * @throws UserError when it is none
 */
export function requireDurationMs(name: string, text: string, bare: TimeUnit): number {
  const ms = durationMs(text, bare);
  if (ms !== undefined && ms > 0 && Number.isFinite(ms)) return ms;
  const [one, other] = EXAMPLES[bare] ?? ["90s", "5m"];
  throw new UserError(
    `${name} "${text}" is not a duration`,
    `give a number with a unit: ${name} ${one}, ${name} ${other}`,
  );
}
