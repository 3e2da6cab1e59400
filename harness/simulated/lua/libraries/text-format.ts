import { formatG, roundToDigits } from "../../redis/numbers/floats.ts";
import type { Arguments } from "./arguments.ts";

const DIRECTIVE = /^([-+ #0]*)(\d*)(\.\d*)?/;

/** `string.format`: C's printf, as far as Lua supports it. */
export function formatText(args: Arguments): string {
  const format = args.text(1);
  let result = "";
  let position = 1;
  for (let index = 0; index < format.length; index += 1) {
    if (format[index] !== "%") {
      result += format.charAt(index);
      continue;
    }
    index += 1;
    if (format[index] === "%") {
      result += "%";
      continue;
    }
    const [whole = "", flags = "", width = "", precision] = DIRECTIVE.exec(format.slice(index)) ?? [];
    if (flags.length > 5) throw args.failure("invalid format (repeated flags)");
    if (width.length > 2 || (precision ?? "").length > 3)
      throw args.failure("invalid format (width or precision too long)");
    index += whole.length;
    position += 1;
    if (position > args.count) throw args.error(position, "no value");
    const digits = precision === undefined ? undefined : Number(precision.slice(1) || "0");
    result += directive(format.charAt(index), args, position, { flags, width: Number(width), digits });
  }
  return result;
}

interface Shape {
  readonly flags: string;
  readonly width: number;
  readonly digits: number | undefined;
}

function directive(letter: string, args: Arguments, position: number, shape: Shape): string {
  switch (letter) {
    case "c":
      return upToNul(pad(character(args.number(position)), withoutZeros(shape)));
    case "d":
    case "i":
      return integer(wrap(args.number(position)), shape, 10, true);
    case "u":
      return integer(wrapUnsigned(args.number(position)), shape, 10, false);
    case "o":
      return integer(wrapUnsigned(args.number(position)), shape, 8, false);
    case "x":
      return integer(wrapUnsigned(args.number(position)), shape, 16, false);
    case "X":
      return integer(wrapUnsigned(args.number(position)), shape, 16, false).toUpperCase();
    case "e":
    case "E":
    case "f":
    case "g":
    case "G": {
      const text = float(args.number(position), letter.toLowerCase(), shape);
      return letter === letter.toLowerCase() ? text : text.toUpperCase();
    }
    case "q":
      return quote(args.text(position));
    case "s": {
      const text = args.text(position);
      // Without a precision a long text is added as it is, regardless of the width; a short one ends at its first NUL.
      if (shape.digits === undefined && text.length >= 100) return text;
      return pad(upToNul(text).slice(0, shape.digits), withoutZeros(shape));
    }
    default:
      throw args.failure(`invalid option '%${letter}' to 'format'`);
  }
}

/** The character with this code, of which C keeps one byte; a code that does not fit into 32 bits becomes 0. */
function character(code: number): string {
  return String.fromCharCode(Math.abs(code) < 2 ** 31 ? Math.trunc(code) & 255 : 0);
}

function withoutZeros(shape: Shape): Shape {
  return { ...shape, flags: shape.flags.replaceAll("0", "") };
}

function upToNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** A double as C's cast to a 64-bit integer on x86: out of range it becomes the smallest integer. */
function wrap(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) return -(2n ** 63n);
  return BigInt(Math.trunc(value));
}

/**
 * The same for an unsigned integer, which compilers build from two signed casts: a value that is too large becomes 0.
 */
function wrapUnsigned(value: number): bigint {
  if (value >= 2 ** 64) return 0n;
  return value >= 2 ** 63 ? BigInt(value) : BigInt.asUintN(64, wrap(value));
}

function integer(value: bigint, shape: Shape, base: number, signed: boolean): string {
  const magnitude = (value < 0n ? -value : value).toString(base);
  const filled = shape.digits === 0 && value === 0n ? "" : magnitude.padStart(shape.digits ?? 0, "0");
  const prefix = shape.flags.includes("#") && value !== 0n ? { 8: "0", 16: "0x" }[base] : "";
  const zeros = shape.digits === undefined;
  return pad(
    sign(value < 0n, shape, signed) + (prefix ?? "") + filled,
    zeros ? shape : { ...shape, flags: shape.flags.replaceAll("0", "") },
  );
}

function float(value: number, letter: string, shape: Shape): string {
  const negative = value < 0 || Object.is(value, -0) || Number.isNaN(value);
  const prefix = sign(negative, shape, true);
  if (!Number.isFinite(value)) {
    return pad(prefix + (Number.isNaN(value) ? "nan" : "inf"), { ...shape, flags: shape.flags.replaceAll("0", "") });
  }
  return pad(prefix + magnitude(Math.abs(value), letter, shape), shape);
}

function magnitude(value: number, letter: string, { digits = 6, flags }: Shape): string {
  if (letter === "f") return fixed(value, digits) + (digits === 0 && flags.includes("#") ? "." : "");
  if (letter === "g") return flags.includes("#") ? value.toPrecision(digits || 1) : formatG(value, digits || 1);
  if (value === 0) return `0${digits > 0 ? `.${"0".repeat(digits)}` : ""}e+00`;
  const rounded = roundToDigits(value, digits + 1);
  const power = Math.abs(rounded.exponent);
  const mantissa = digits > 0 ? `${rounded.digits[0]}.${rounded.digits.slice(1)}` : rounded.digits;
  return `${mantissa}e${rounded.exponent < 0 ? "-" : "+"}${power < 10 ? "0" : ""}${power}`;
}

/** `%.<digits>f`, exact, ties to even: computed with integers, because `toFixed` ends at 1e21 and rounds ties up. */
function fixed(value: number, digits: number): string {
  if (value === 0) return digits > 0 ? `0.${"0".repeat(digits)}` : "0";
  const exponent = Math.floor(Math.log10(value));
  // One more digit than may be needed, so that an inexact logarithm does no harm.
  const significant = exponent + 1 + digits;
  if (significant < 0) return digits > 0 ? `0.${"0".repeat(digits)}` : "0";
  const [numerator, denominator] = asFraction(value);
  const scaled = numerator * 10n ** BigInt(digits);
  let quotient = scaled / denominator;
  const rest = (scaled % denominator) * 2n;
  if (rest > denominator || (rest === denominator && quotient % 2n === 1n)) quotient += 1n;
  const text = quotient.toString().padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

function asFraction(value: number): [bigint, bigint] {
  let [numerator, shift] = [value, 0];
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    shift += 1;
  }
  return [BigInt(numerator), 2n ** BigInt(shift)];
}

function sign(negative: boolean, { flags }: Shape, signed: boolean): string {
  if (negative) return "-";
  if (!signed) return "";
  return flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

function pad(text: string, { flags, width }: Shape): string {
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0")) return text.padStart(width);
  const prefix = /^[-+ ]?(0x)?/.exec(text)?.[0] ?? "";
  return prefix + text.slice(prefix.length).padStart(width - prefix.length, "0");
}

function quote(text: string): string {
  const escaped = text.replaceAll(/["\\\n\r\0]/g, (character) => {
    if (character === "\r") return String.raw`\r`;
    return character === "\0" ? String.raw`\000` : `\\${character}`;
  });
  return `"${escaped}"`;
}
