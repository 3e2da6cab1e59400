import { shortestDigits } from "./shortest-digits.ts";

/** How the server writes a double: `%.17g` up to 7.0, later the shortest digits that read back the same. */
export type DoubleStyle = "17-digits" | "shortest";

/** Writes a double as replies have it. */
export function formatDouble(value: number, style: DoubleStyle): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  if (style === "17-digits") return formatG(value, 17);
  return formatScore(value, style);
}

/** Writes a double as stored strings and effects have it: an integer where it is one, otherwise as in replies. */
export function formatScore(value: number, style: DoubleStyle): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  // Integers of up to 62 bits are written in full, without an exponent.
  if (Number.isInteger(value) && Math.abs(value) <= 4611686018427387904) return BigInt(value).toString();
  return style === "17-digits" ? formatG(value, 17) : formatShortest(value);
}

/** `inf`, `-inf` or `nan`. */
export function nonFinite(value: number): string {
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** C's `%.<precision>g` of a finite double, exact to the last digit, ties to even. */
export function formatG(value: number, precision: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  if (Number.isSafeInteger(value) && Math.abs(value) < 10 ** Math.min(precision, 15)) return String(value);
  const { negative, digits, exponent } = roundToDigits(value, precision);
  const trimmed = digits.replace(/0+$/, "");
  const sign = negative ? "-" : "";
  if (exponent < -4 || exponent >= precision) {
    const power = Math.abs(exponent);
    const mantissa = trimmed.length > 1 ? `${trimmed[0]}.${trimmed.slice(1)}` : trimmed;
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${power < 10 ? "0" : ""}${power}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${trimmed}`;
  if (trimmed.length <= exponent + 1) return sign + trimmed + "0".repeat(exponent + 1 - trimmed.length);
  return `${sign}${trimmed.slice(0, exponent + 1)}.${trimmed.slice(exponent + 1)}`;
}

/**
 * The first `precision` decimal digits of a finite, non-zero double, rounded half to even on its exact value, and the
 * power of ten of the first.
 */
export function roundToDigits(
  value: number,
  precision: number,
): { negative: boolean; digits: string; exponent: number } {
  let text = Math.abs(value).toExponential(precision - 1);
  // JavaScript rounds ties up, C to even. A tie has at most 53 significant bits, so 60 more digits decide exactly.
  const next = Math.abs(value).toExponential(Math.min(precision + 60, 100));
  const tail = next.slice(precision + 1, next.indexOf("e"));
  const kept = next.slice(0, precision + 1).replace(".", "");
  if (tail.startsWith("5") && /^50*$/.test(tail) && Number(kept[kept.length - 1]) % 2 === 0) {
    text = `${next.slice(0, precision === 1 ? 1 : precision + 1)}${next.slice(next.indexOf("e"))}`;
  }
  const split = text.indexOf("e");
  return {
    negative: value < 0,
    digits: text.slice(0, split).replace(".", ""),
    exponent: Number(text.slice(split + 1)),
  };
}

/** The shortest digits that read back the same, laid out as the server lays them out. */
export function formatShortest(value: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const sign = value < 0 ? "-" : "";
  const { digits, power } = shortestDigits(Math.abs(value));
  const exponent = power + digits.length - 1;
  const size = Math.abs(exponent);
  if (power >= 0 && size < digits.length + 7) return sign + digits + "0".repeat(power);
  if (power < 0 && (power > -7 || size < 4)) {
    const point = digits.length + power;
    if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
    return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  }
  const shown = digits.slice(0, sign === "" ? 18 : 17);
  const mantissa = shown.length > 1 ? `${shown[0]}.${shown.slice(1)}` : shown;
  return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?\d+))?$/;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/** Reads a double as C's strtod does when all of the text must be used. Undefined for any other text, NaN included. */
export function parseDouble(text: string): number | undefined {
  if (DECIMAL.test(text)) {
    const value = Number(text);
    const outOfRange = !Number.isFinite(value) || (value === 0 && /[1-9]/.test(text.replace(/[eE].*$/, "")));
    return outOfRange ? undefined : value;
  }
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  return parseHexadecimal(text);
}

/** Reads C's hexadecimal floating point, `0x1.8p3`. Undefined for anything else. */
export function parseHexadecimal(text: string): number | undefined {
  const match = HEXADECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = match;
  if (whole === "" && fraction === "") return undefined;
  let value = 0;
  for (const digit of whole + fraction) value = value * 16 + Number.parseInt(digit, 16);
  value *= 2 ** (Number(power) - 4 * fraction.length);
  return sign === "-" ? -value : value;
}
