import { at, fail, integerArgument, syntaxError } from "../arguments.ts";
import { INT64_MAX } from "../numbers/integers.ts";
import { multiplyLongDouble, parseLongDouble, type LongDouble } from "../numbers/long-double.ts";
import type { RedisServer } from "../server.ts";

/** The longest wait of a command, in milliseconds, from a number of seconds with a fraction; 0: without limit. */
export function timeoutArgument(text: string, server: RedisServer): number {
  const seconds = parseLongDouble(text) ?? fail("ERR timeout is not a float or out of range");
  const ms = roundUp(multiplyLongDouble(seconds, 1000n));
  // 7.0 turned a value that does not fit into the smallest integer, and waited for ever on one that is almost too
  // large.
  if (ms > INT64_MAX) return fail(server.isModern ? "ERR timeout is out of range" : "ERR timeout is negative");
  if (ms < 0) return fail("ERR timeout is negative");
  const isFar = ms > INT64_MAX - BigInt(server.nowMs);
  return isFar && server.isModern ? fail("ERR timeout is out of range") : Number(ms);
}

function roundUp(value: LongDouble): bigint | number {
  if (typeof value === "number") return value;
  const { mantissa, exponent } = value;
  if (exponent >= 0) return mantissa << BigInt(exponent);
  const divisor = 1n << BigInt(-exponent);
  const whole = mantissa / divisor;
  return mantissa > 0n && mantissa % divisor !== 0n ? whole + 1n : whole;
}

/** The arguments of LMPOP, ZMPOP and their blocking forms. */
export interface MultiplePop<Where> {
  readonly keys: readonly string[];
  readonly where: Where;
  readonly count: number;
}

/** Reads `numkeys key [key ...] where [COUNT count]` from `index` on. */
export function multiplePopArguments<Where>(
  argv: readonly string[],
  index: number,
  whereArgument: (text: string) => Where,
): MultiplePop<Where> {
  const keyCount = positive(at(argv, index), "numkeys");
  const whereIndex = index + keyCount + 1;
  if (whereIndex >= argv.length) throw syntaxError;
  const where = whereArgument(at(argv, whereIndex));
  const options = argv.slice(whereIndex + 1);
  let count = 1;
  if (options.length > 0) {
    if (options[0]?.toLowerCase() !== "count" || options.length === 1) throw syntaxError;
    count = positive(at(options, 1), "count");
    if (options.length > 2) throw syntaxError;
  }
  return { keys: argv.slice(index + 1, whereIndex), where, count };
}

function positive(text: string, what: string): number {
  const message = `ERR ${what} should be greater than 0`;
  const value = Number(integerArgument(text, message));
  return value > 0 ? value : fail(message);
}
