import { at, changed, fail, integerArgument, readAs, syntaxError } from "../../arguments.ts";
import { command, ONE_KEY, type Caller, type Command } from "../../command.ts";
import { stringValue } from "../../keyspace/values.ts";
import type { Reply } from "../../protocol/reply.ts";
import { bitAt, bitOffset, bitsChanged, stringForBit, withBits } from "./bit-strings.ts";

/** Commands that see a string as a row of bits, the first of which is the highest of the first byte. */
export const bitmapCommands: readonly Command[] = [
  command("setbit", 4, "write denyoom", ONE_KEY, setBit),
  command("getbit", 3, "readonly fast", ONE_KEY, (argv, caller) => {
    const offset = bitOffset(at(argv, 2), caller);
    return bitAt(readAs(caller, at(argv, 1), "string")?.text ?? "", offset);
  }),
  command("bitcount", -2, "readonly", ONE_KEY, bitCount),
  command("bitpos", -3, "readonly", ONE_KEY, bitPosition),
  command("bitop", -4, "write denyoom", [2, -1, 1], bitOperation),
];

function setBit(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const offset = bitOffset(at(argv, 2), caller);
  const notABit = "ERR bit is not an integer or out of range";
  const bit = Number(integerArgument(at(argv, 3), notABit));
  if (bit !== 0 && bit !== 1) return fail(notABit);
  const { value, grown } = stringForBit(caller, key, offset);
  const before = bitAt(value.text, offset);
  if (grown || before !== bit) {
    value.text = withBits(value.text, offset, 1, BigInt(bit));
    bitsChanged(caller, key);
  }
  return before;
}

/** A part of a string, in bits. `end` is not part of it. */
interface Range {
  readonly start: number;
  readonly end: number;
}

interface Bounds {
  readonly start: number;
  readonly end: number | undefined;
  readonly unit: "bit" | "byte";
}

/** The bounds that are given from `argv[index]` on; undefined if there are none. `needsEnd`: not without an end. */
function boundsOf(argv: readonly string[], index: number, needsEnd: boolean): Bounds | undefined {
  const given = argv.length - index;
  if (given === 0) return undefined;
  if (given > 3 || (needsEnd && given === 1)) throw syntaxError;
  const start = Number(integerArgument(at(argv, index)));
  if (given === 1) return { start, end: undefined, unit: "byte" };
  // The order decides which of two errors is reported.
  const unitFirst = !needsEnd && given === 3 ? unitOf(at(argv, index + 2)) : undefined;
  const end = Number(integerArgument(at(argv, index + 1)));
  return { start, end, unit: unitFirst ?? (given === 3 ? unitOf(at(argv, index + 2)) : "byte") };
}

function unitOf(text: string): Bounds["unit"] {
  const unit = text.toLowerCase();
  if (unit !== "bit" && unit !== "byte") throw syntaxError;
  return unit;
}

/** Negative bounds count from the end of the string. */
function rangeOf({ start, end = -1, unit }: Bounds, length: number): Range {
  const size = unit === "bit" ? 1 : 8;
  const total = (length * 8) / size;
  const from = Math.max(0, start < 0 ? total + start : start);
  const to = Math.min(total - 1, Math.max(0, end < 0 ? total + end : end));
  return from > to ? { start: 0, end: 0 } : { start: from * size, end: (to + 1) * size };
}

function bitCount(argv: readonly string[], caller: Caller): Reply {
  const lookUp = (): string | undefined => readAs(caller, at(argv, 1), "string")?.text;
  // The older server looks the key up first: of two errors it reports the other one, and none for a key that is not there.
  const early = caller.server.isModern ? undefined : lookUp();
  if (!caller.server.isModern && early === undefined) return 0;
  const bounds = boundsOf(argv, 2, true);
  const text = early ?? lookUp() ?? "";
  if (bounds?.end !== undefined && bounds.start < 0 && bounds.end < 0 && bounds.start > bounds.end) return 0;
  const { start, end } = bounds === undefined ? { start: 0, end: text.length * 8 } : rangeOf(bounds, text.length);
  let count = 0;
  for (let offset = start; offset < end; offset += 1) count += bitAt(text, offset);
  return count;
}

function bitPosition(argv: readonly string[], caller: Caller): Reply {
  const bit = Number(integerArgument(at(argv, 2)));
  if (bit !== 0 && bit !== 1) return fail("ERR The bit argument must be 1 or 0.");
  const lookUp = (): string | undefined => readAs(caller, at(argv, 1), "string")?.text;
  const early = caller.server.isModern ? undefined : lookUp();
  if (!caller.server.isModern && early === undefined) return bit === 1 ? -1 : 0;
  const bounds = boundsOf(argv, 3, false);
  const text = early ?? lookUp();
  // A key that is not there is a row of zeros without end.
  if (text === undefined) return bit === 1 ? -1 : 0;
  const { start, end } = rangeOf(bounds ?? { start: 0, end: undefined, unit: "byte" }, text.length);
  if (start === end) return -1;
  for (let offset = start; offset < end; offset += 1) if (bitAt(text, offset) === bit) return offset;
  // Beyond the string are zeros, unless the end of the search was given.
  return bit === 1 || bounds?.end !== undefined ? -1 : end;
}

type Combine = (one: number, other: number) => number;

const COMBINE: Readonly<Record<string, Combine>> = {
  and: (one, other) => one & other,
  or: (one, other) => one | other,
  xor: (one, other) => one ^ other,
  not: (one) => ~one & 0xff,
};

function bitOperation(argv: readonly string[], caller: Caller): Reply {
  const name = at(argv, 1).toLowerCase();
  const combine = Object.hasOwn(COMBINE, name) ? COMBINE[name] : undefined;
  if (combine === undefined) throw syntaxError;
  if (name === "not" && argv.length !== 4) return fail("ERR BITOP NOT must be called with a single source key.");
  const target = at(argv, 2);
  const [first = Buffer.alloc(0), ...others] = argv
    .slice(3)
    .map((key) => Buffer.from(readAs(caller, key, "string")?.text ?? "", "latin1"));
  const length = Math.max(first.length, ...others.map((each) => each.length));
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index += 1) {
    const byte = first[index] ?? 0;
    bytes[index] =
      name === "not" ? combine(byte, 0) : others.reduce((sum, each) => combine(sum, each[index] ?? 0), byte);
  }
  store(caller, target, bytes.toString("latin1"));
  return length;
}

/** An empty result deletes the target. */
function store(caller: Caller, key: string, text: string): void {
  const { db, server } = caller;
  if (text !== "") {
    db.set(key, { ...stringValue(text), form: "edited" });
    db.notify("$", "set", key);
    server.dirty += 1;
  } else if (db.delete(key)) {
    changed(caller, key);
    db.notify("g", "del", key);
  }
}
