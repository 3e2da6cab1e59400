/**
 * Signed 64-bit integers as the server has them: a number while it is a safe integer, a bigint beyond. Both forms
 * compare correctly with `<` and with each other.
 */
export type Integer = number | bigint;

export const INT64_MAX = 9223372036854775807n;
export const INT64_MIN = -9223372036854775808n;

const SMALL = /^(?:0|-?[1-9][0-9]{0,14})$/;
const LARGE_OR_SMALL_NEGATIVE = /^-[1-9][0-9]{0,18}$/;
const LARGE = /^-?[1-9][0-9]{15,18}$/;

/** Reads an integer strictly: no blanks, no plus, no leading zeros, within 64 bits. Undefined when it is not one. */
export function parseInteger(text: string): Integer | undefined {
  if (SMALL.test(text)) return Number(text);
  if (!LARGE.test(text)) return undefined;
  const value = BigInt(text);
  if (value > INT64_MAX || value < INT64_MIN) return undefined;
  return normalize(value);
}

/**
 * Reads an unsigned 64-bit integer as C's strtoull does: leading blanks, a sign, and leading zeros are accepted, and a
 * minus sign wraps around, unless it is a plain negative integer. Undefined when it is not one, or too large.
 */
export function parseUnsigned(text: string): bigint | undefined {
  const match = /^[ \t\n\v\f\r]*([+-]?)(\d+)$/.exec(text);
  if (match === null || (match[1] === "-" && LARGE_OR_SMALL_NEGATIVE.test(text))) return undefined;
  const value = BigInt(match[2] ?? 0);
  if (value > 18446744073709551615n) return undefined;
  return match[1] === "-" ? BigInt.asUintN(64, -value) : value;
}

/** A number if the value is safe, else a bigint. */
function normalize(value: bigint): Integer {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** The sum, or undefined when it does not fit into 64 bits. */
export function add(a: Integer, b: Integer): Integer | undefined {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checked(BigInt(a) + BigInt(b));
}

/** The product, or undefined when it does not fit into 64 bits. */
export function multiply(a: Integer, b: Integer): Integer | undefined {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product;
  }
  return checked(BigInt(a) * BigInt(b));
}

/** `a - b` as C computes it when it cannot overflow. */
export function subtract(a: Integer, b: Integer): Integer {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return wrap(BigInt(a) - BigInt(b));
}

/** The value modulo 2^64, as a signed integer. */
function wrap(value: bigint): Integer {
  return normalize(BigInt.asIntN(64, value));
}

function checked(value: bigint): Integer | undefined {
  return value > INT64_MAX || value < INT64_MIN ? undefined : normalize(value);
}
