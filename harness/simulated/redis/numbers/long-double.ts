/**
 * The x87 long double in which INCRBYFLOAT and HINCRBYFLOAT compute: a 64-bit mantissa, `mantissa * 2^exponent`. Text
 * is read and written exactly, so that replies equal the server's to the last digit. Infinities are plain numbers.
 */
export type LongDouble = Finite | number;

interface Finite {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const MAX_EXPONENT = 16384;
const MIN_EXPONENT = -16445;
/** Longer texts are refused, as the server's buffer would. */
const MAX_LENGTH = 5 * 1024;

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?\d+))?$/;

/** Reads C's strtold syntax when all of the text is used. Undefined for anything else, NaN and out of range included. */
export function parseLongDouble(text: string): LongDouble | undefined {
  if (text.length === 0 || text.length >= MAX_LENGTH) return undefined;
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  const hexadecimal = HEXADECIMAL.exec(text);
  if (hexadecimal) {
    const [, sign, whole = "", fraction = "", power = "0"] = hexadecimal;
    if (whole === "" && fraction === "") return undefined;
    return inRange(round(signed(sign, BigInt(`0x${whole}${fraction}`)), Number(power) - 4 * fraction.length, false));
  }
  const decimal = DECIMAL.exec(text);
  if (!decimal) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = decimal;
  if (whole === "" && fraction === "") return undefined;
  const digits = BigInt(whole + fraction);
  const ten = Number(power) - fraction.length;
  if (digits === 0n) return { mantissa: 0n, exponent: 0 };
  // Far beyond the range either way: enormous powers are not needed.
  if (Math.abs(ten) > 20000 + MAX_LENGTH) return undefined;
  if (ten >= 0) return inRange(round(signed(sign, digits * 10n ** BigInt(ten)), 0, false));
  const divisor = 10n ** BigInt(-ten);
  const shift = Math.max(0, bitLength(divisor) - bitLength(digits) + 70);
  const scaled = digits << BigInt(shift);
  return inRange(round(signed(sign, scaled / divisor), -shift, scaled % divisor !== 0n));
}

/** The sum, rounded to a 64-bit mantissa. */
export function addLongDoubles(a: LongDouble, b: LongDouble): LongDouble {
  if (typeof a === "number" || typeof b === "number") {
    return (typeof a === "number" ? a : 0) + (typeof b === "number" ? b : 0);
  }
  if (a.mantissa === 0n) return b;
  if (b.mantissa === 0n) return a;
  const exponent = Math.min(a.exponent, b.exponent);
  const sum = (a.mantissa << BigInt(a.exponent - exponent)) + (b.mantissa << BigInt(b.exponent - exponent));
  return round(sum, exponent, false);
}

/** The product with an integer, rounded to a 64-bit mantissa. */
export function multiplyLongDouble(a: LongDouble, factor: bigint): LongDouble {
  return typeof a === "number" ? a * Number(factor) : round(a.mantissa * factor, a.exponent, false);
}

/** True for infinities and NaN. */
export function isNotFinite(value: LongDouble): value is number {
  return typeof value === "number";
}

/** `%.17Lf` without its trailing zeros; minus zero is `0`. The value must be finite. */
export function formatLongDouble(value: LongDouble): string {
  if (typeof value === "number") throw new RangeError("not a finite long double");
  const negative = value.mantissa < 0n;
  const magnitude = (negative ? -value.mantissa : value.mantissa) * 10n ** 17n;
  const scaled =
    value.exponent >= 0 ? magnitude << BigInt(value.exponent) : roundShift(magnitude, -value.exponent, false);
  const digits = scaled.toString().padStart(18, "0");
  const fraction = digits.slice(-17).replace(/0+$/, "");
  const text = digits.slice(0, -17) + (fraction === "" ? "" : `.${fraction}`);
  return negative && text !== "0" ? `-${text}` : text;
}

function signed(sign: string | undefined, magnitude: bigint): bigint {
  return sign === "-" ? -magnitude : magnitude;
}

function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}

/** Undefined when the value over- or underflows. */
function inRange(value: LongDouble): LongDouble | undefined {
  return typeof value === "number" ? undefined : value;
}

/** Rounds `value * 2^exponent` to 64 bits, half to even; `sticky` says that a non-zero rest was already cut off. */
function round(value: bigint, exponent: number, sticky: boolean): LongDouble {
  if (value === 0n) return { mantissa: 0n, exponent: 0 };
  const negative = value < 0n;
  let magnitude = negative ? -value : value;
  let power = exponent;
  const excess = magnitude.toString(2).length - 64;
  if (excess > 0) {
    magnitude = roundShift(magnitude, excess, sticky);
    power += excess;
  }
  const top = power + magnitude.toString(2).length;
  if (top > MAX_EXPONENT) return negative ? -Infinity : Infinity;
  if (top < MIN_EXPONENT) return 0;
  return { mantissa: negative ? -magnitude : magnitude, exponent: power };
}

function roundShift(magnitude: bigint, shift: number, sticky: boolean): bigint {
  const bits = BigInt(shift);
  const quotient = magnitude >> bits;
  const rest = magnitude - (quotient << bits);
  const half = 1n << (bits - 1n);
  if (rest > half || (rest === half && (sticky || quotient % 2n === 1n))) return quotient + 1n;
  return quotient;
}
