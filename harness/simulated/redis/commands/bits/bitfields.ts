import { at, fail, integerArgument, readAs, syntaxError } from "../../arguments.ts";
import { command, ONE_KEY, type Caller, type Command } from "../../command.ts";
import type { Reply } from "../../protocol/reply.ts";
import { bitOffset, bitsAt, bitsChanged, stringForBit, withBits } from "./bit-strings.ts";

/** Commands that see a string as a row of integers of any width. */
export const bitfieldCommands: readonly Command[] = [
  command("bitfield", -2, "write denyoom", ONE_KEY, (argv, caller) => bitfield(argv, caller, true)),
  command("bitfield_ro", -2, "readonly fast", ONE_KEY, (argv, caller) => bitfield(argv, caller, false)),
];

/** The type of an integer: `i16`, `u8`. */
interface FieldType {
  readonly signed: boolean;
  readonly width: number;
}

type Overflow = "wrap" | "sat" | "fail";

type Operation = { readonly type: FieldType; readonly offset: number } & (
  | { readonly do: "get" }
  | { readonly do: "set" | "incrby"; readonly amount: bigint; readonly overflow: Overflow }
);

function bitfield(argv: readonly string[], caller: Caller, mayWrite: boolean): Reply {
  const operations = parse(argv, caller);
  const key = at(argv, 1);
  const last = Math.max(...operations.map((each) => (each.do === "get" ? -1 : each.offset + each.type.width - 1)), -1);
  if (last < 0) {
    const text = readAs(caller, key, "string")?.text ?? "";
    return operations.map(({ type, offset }) => read(text, type, offset));
  }
  if (!mayWrite) return fail("ERR BITFIELD_RO only supports the GET subcommand");
  const { value, grown } = stringForBit(caller, key, last);
  let changes = 0;
  const replies = operations.map((operation) => {
    const { type, offset } = operation;
    const before = read(value.text, type, offset);
    if (operation.do === "get") return before;
    const after = fitted(operation.do === "set" ? operation.amount : before + operation.amount, operation);
    if (after === undefined) return null;
    value.text = withBits(value.text, offset, type.width, BigInt.asUintN(type.width, after));
    if (grown || after !== before) changes += 1;
    return operation.do === "set" ? before : after;
  });
  if (changes > 0) bitsChanged(caller, key, changes);
  return replies;
}

function parse(argv: readonly string[], caller: Caller): readonly Operation[] {
  const operations: Operation[] = [];
  let overflow: Overflow = "wrap";
  for (let index = 2; index < argv.length;) {
    const name = at(argv, index).toLowerCase();
    const left = argv.length - index - 1;
    if (name === "overflow" && left >= 1) {
      overflow = overflowOf(at(argv, index + 1));
      index += 2;
    } else if (name === "get" && left >= 2) {
      operations.push({ do: name, ...placeOf(argv, index, caller) });
      index += 3;
    } else if ((name === "set" || name === "incrby") && left >= 3) {
      const place = placeOf(argv, index, caller);
      operations.push({ do: name, ...place, amount: BigInt(integerArgument(at(argv, index + 3))), overflow });
      index += 4;
    } else throw syntaxError;
  }
  return operations;
}

function overflowOf(text: string): Overflow {
  const overflow = text.toLowerCase();
  if (overflow === "wrap" || overflow === "sat" || overflow === "fail") return overflow;
  return fail("ERR Invalid OVERFLOW type specified");
}

function placeOf(argv: readonly string[], index: number, caller: Caller): { type: FieldType; offset: number } {
  const type = typeOf(at(argv, index + 1));
  return { type, offset: bitOffset(at(argv, index + 2), caller, type.width) };
}

function typeOf(text: string): FieldType {
  const invalid = "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.";
  const signed = text.startsWith("i");
  if (!signed && !text.startsWith("u")) return fail(invalid);
  const width = Number(integerArgument(text.slice(1), invalid));
  return width < 1 || width > (signed ? 64 : 63) ? fail(invalid) : { signed, width };
}

function read(text: string, { signed, width }: FieldType, offset: number): bigint {
  const bits = bitsAt(text, offset, width);
  return signed ? BigInt.asIntN(width, bits) : bits;
}

/** The value as a field of this type holds it; undefined if it does not fit, and may not overflow. */
function fitted(
  value: bigint,
  { type: { signed, width }, overflow, do: what }: Exclude<Operation, { readonly do: "get" }>,
): bigint | undefined {
  // An unsigned field is given a negative number as the large one that has the same 64 bits.
  const given = !signed && what === "set" ? BigInt.asUintN(64, value) : value;
  const most = (1n << BigInt(signed ? width - 1 : width)) - 1n;
  const least = signed ? -most - 1n : 0n;
  if (given >= least && given <= most) return given;
  if (overflow === "fail") return undefined;
  if (overflow === "sat") return given > most ? most : least;
  return signed ? BigInt.asIntN(width, given) : BigInt.asUintN(width, given);
}
