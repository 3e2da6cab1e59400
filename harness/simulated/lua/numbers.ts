import { formatG, parseHexadecimal } from "../redis/numbers/floats.ts";

/** A number as `tostring` writes it: `%.14g`. x86 gives the NaN of 0/0 a sign, and C prints it. */
export function numberToText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e14) return Object.is(value, -0) ? "-0" : String(value);
  if (Number.isNaN(value)) return "-nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return formatG(value, 14);
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NAMED = /^([+-]?)(inf|infinity|nan)$/i;

/**
 * The number in a string, with optional white space around it; undefined when it is not a number. As in C, the string
 * ends at its first NUL.
 */
export function textToNumber(text: string): number | undefined {
  const end = text.indexOf("\0");
  const trimmed = (end < 0 ? text : text.slice(0, end)).replaceAll(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, "");
  if (DECIMAL.test(trimmed)) return Number(trimmed);
  const hexadecimal = parseHexadecimal(trimmed);
  if (hexadecimal !== undefined) return hexadecimal;
  const named = NAMED.exec(trimmed);
  if (named === null) return undefined;
  if (named[2]?.toLowerCase() === "nan") return Number.NaN;
  return named[1] === "-" ? -Infinity : Infinity;
}
