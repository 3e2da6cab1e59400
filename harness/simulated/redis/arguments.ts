import type { Caller } from "./command.ts";
import { parseDouble } from "./numbers/floats.ts";
import { INT64_MAX, parseInteger, type Integer } from "./numbers/integers.ts";
import { ErrorReply, NOT_A_FLOAT, NOT_AN_INTEGER, ReplyError, SYNTAX_ERROR, WRONG_TYPE } from "./protocol/reply.ts";
import type {
  HashValue,
  ListValue,
  SetValue,
  SortedSetValue,
  StreamValue,
  StringValue,
  StoredValue,
} from "./keyspace/values.ts";

// Reused for every throw, so that refusing an argument costs no stack trace.
const wrongType = new ReplyError(WRONG_TYPE);
const notAnInteger = new ReplyError(NOT_AN_INTEGER);
const notAFloat = new ReplyError(NOT_A_FLOAT);
export const syntaxError = new ReplyError(SYNTAX_ERROR);
const outOfRange = new ReplyError(new ErrorReply("ERR value is out of range"));

/** Ends the command with an error reply. `text` begins with the code. */
export function fail(text: string): never {
  throw new ReplyError(new ErrorReply(text));
}

/** The argument at `index`, which must be there. */
export function at(argv: readonly string[], index: number): string {
  const argument = argv[index];
  if (argument === undefined) throw syntaxError;
  return argument;
}

/** A 64-bit integer. `message` replaces the usual error, code included. */
export function integerArgument(text: string, message?: string): Integer {
  const value = parseInteger(text);
  if (value === undefined) throw message === undefined ? notAnInteger : new ReplyError(new ErrorReply(message));
  return value;
}

/** A 64-bit integer as a number: exact up to 2^53, rounded beyond. */
export function numberArgument(text: string, message?: string): number {
  return Number(integerArgument(text, message));
}

/**
 * How many items to draw at random: any number whose negation fits as well; half as many when each item gives two
 * values.
 */
export function drawCountArgument(text: string, inPairs = false): number {
  const count = integerArgument(text);
  if (count < -INT64_MAX) {
    fail(`ERR value is out of range, value must between ${-INT64_MAX} and ${INT64_MAX}`);
  }
  if (inPairs && (count > INT64_MAX / 2n || count < -INT64_MAX / 2n)) throw outOfRange;
  return Number(count);
}

/** A 32-bit integer, for database numbers and the like. */
export function smallArgument(text: string, message?: string): number {
  const value = numberArgument(text, message);
  if (value < -2147483648 || value > 2147483647) {
    throw message === undefined ? outOfRange : new ReplyError(new ErrorReply(message));
  }
  return value;
}

/** A count that must not be negative. */
export function countArgument(text: string, message = "ERR value is out of range, must be positive"): number {
  const value = numberArgument(text, message);
  if (value < 0) fail(message);
  return value;
}

export function doubleArgument(text: string, message?: string): number {
  const value = parseDouble(text);
  if (value === undefined) throw message === undefined ? notAFloat : new ReplyError(new ErrorReply(message));
  return value;
}

interface ValueTypes {
  readonly string: StringValue;
  readonly list: ListValue;
  readonly set: SetValue;
  readonly zset: SortedSetValue;
  readonly hash: HashValue;
  readonly stream: StreamValue;
}

/** The value if it has the type, undefined if there is none, and the error of the wrong type otherwise. */
export function ofType<T extends keyof ValueTypes>(value: StoredValue | undefined, type: T): ValueTypes[T] | undefined {
  if (value === undefined) return undefined;
  if (value.type !== type) throw wrongType;
  // The discriminant was just compared; the compiler cannot follow it through a type parameter.
  return value as ValueTypes[T];
}

/** The value of a key that a command reads. */
export function readAs<T extends keyof ValueTypes>(caller: Caller, key: string, type: T): ValueTypes[T] | undefined {
  return ofType(caller.db.read(key), type);
}

/** The value of a key that a command changes. */
export function writeAs<T extends keyof ValueTypes>(caller: Caller, key: string, type: T): ValueTypes[T] | undefined {
  return ofType(caller.db.write(key), type);
}

/** Counts a change and marks the key for connections that watch it. */
export function changed(caller: Caller, key: string, changes = 1): void {
  caller.db.touched(key);
  caller.server.dirty += changes;
}
