import type { Arguments } from "./arguments.ts";
import type { LibraryFunction } from "./library.ts";
import { toNumber } from "../runtime.ts";
import type { LuaError, Value } from "../value.ts";

const MOST_INTEGER_BYTES = 32;
/** C's largest alignment on 64-bit machines. */
const MOST_ALIGNMENT = 8;
const INT_MAX = 2_147_483_647;

/** The library `struct` (Roberto Ierusalimschy, 0.2): C's structures as strings, on a little-endian 64-bit machine. */
export const STRUCT_LIBRARY: Readonly<Record<string, LibraryFunction>> = {
  pack: (args) => {
    let packed = "";
    let position = 2;
    for (const item of new Format(args)) {
      packed += "\0".repeat(item.padding(packed.length));
      if (item.letter === "x") packed += "\0";
      else if (item.isValue) {
        // The library appends a nil to the arguments.
        if (position === args.count + 1) throw missing(args, position, item);
        packed += item.kind === "text" ? packText(args, position, item) : packNumber(args, position, item);
        position += 1;
      }
    }
    return packed;
  },
  unpack: (args) => unpack(args),
  size: (args) => {
    let size = 0;
    for (const item of new Format(args, true)) {
      size += item.padding(size);
      if (item.letter === "s") throw args.error(1, "option 's' has no fixed size");
      if (item.letter === "c" && item.size === 0) throw args.error(1, "option 'c0' has no fixed size");
      size += item.size;
    }
    return size;
  },
};

/** One letter of a format, with its size in bytes and the settings in force there. */
class Item {
  readonly letter: string;
  readonly size: number;
  readonly isBig: boolean;
  readonly #alignment: number;

  constructor(letter: string, size: number, isBig: boolean, alignment: number) {
    this.letter = letter;
    this.size = size;
    this.isBig = isBig;
    this.#alignment = alignment;
  }

  get kind(): "integer" | "float" | "text" {
    if (this.letter === "f" || this.letter === "d") return "float";
    return this.letter === "c" || this.letter === "s" ? "text" : "integer";
  }

  /** False for padding, and for control letters. */
  get isValue(): boolean {
    return "bBhHlLTiIfdcs".includes(this.letter);
  }

  /** How many bytes of padding precede it at this offset. */
  padding(offset: number): number {
    if (this.size === 0 || this.letter === "c") return 0;
    const to = Math.min(this.size, this.#alignment);
    return (to - (offset & (to - 1))) & (to - 1);
  }
}

const SIZES: Readonly<Record<string, number>> = { b: 1, h: 2, l: 8, B: 1, H: 2, L: 8, T: 8, f: 4, d: 8, x: 1 };

/** The letters of the first argument, read one by one: an error in a later letter is raised only when it is reached. */
class Format {
  readonly #args: Arguments;
  readonly #text: string;
  readonly #ignoresUnknown: boolean;
  #at = 0;

  /** @param ignoresUnknown whether meaningless letters and digits are ignored, as `struct.size` does */
  constructor(args: Arguments, ignoresUnknown = false) {
    this.#args = args;
    this.#ignoresUnknown = ignoresUnknown;
    const text = args.text(1);
    const end = text.indexOf("\0");
    this.#text = end < 0 ? text : text.slice(0, end);
  }

  *[Symbol.iterator](): Generator<Item> {
    let isBig = false;
    let alignment = 1;
    while (this.#at < this.#text.length) {
      const letter = this.#text.charAt(this.#at);
      this.#at += 1;
      const item = new Item(letter, this.#size(letter), isBig, alignment);
      yield item;
      if (item.isValue || letter === "x" || letter === " ") continue;
      if (letter === ">" || letter === "<") isBig = letter === ">";
      else if (letter === "!") alignment = this.#alignment();
      else if (!this.#ignoresUnknown || !/[\da-z]/i.test(letter)) {
        throw this.#args.error(1, `invalid format option '${letter}'`);
      }
    }
  }

  #size(letter: string): number {
    if (letter === "c") return this.#number(1);
    if (letter !== "i" && letter !== "I") return SIZES[letter] ?? 0;
    const size = this.#number(4);
    if (size <= MOST_INTEGER_BYTES) return size;
    throw this.#args.failure(`integral size ${size} is larger than limit of ${MOST_INTEGER_BYTES}`);
  }

  #alignment(): number {
    const alignment = this.#number(MOST_ALIGNMENT);
    if (alignment > 0 && (alignment & (alignment - 1)) === 0) return alignment;
    throw this.#args.failure(`alignment ${alignment} is not a power of 2`);
  }

  #number(otherwise: number): number {
    const digits = /^\d+/.exec(this.#text.slice(this.#at))?.[0];
    if (digits === undefined) return otherwise;
    this.#at += digits.length;
    const number = Number(digits);
    if (number > INT_MAX) throw this.#args.failure("integral size overflow");
    return number;
  }
}

function missing(args: Arguments, position: number, { kind }: Item): LuaError {
  return args.error(position, `${kind === "text" ? "string" : "number"} expected, got nil`);
}

function packText(args: Arguments, position: number, { letter, size }: Item): string {
  const text = args.text(position);
  const length = size === 0 ? text.length : size;
  if (text.length < length) throw args.error(position + 1, "string too short");
  return text.slice(0, length) + (letter === "s" ? "\0" : "");
}

function packNumber(args: Arguments, position: number, item: Item): string {
  const value = args.number(position);
  const bytes = Buffer.alloc(item.size);
  if (item.kind === "float") {
    if (item.letter === "f") bytes.writeFloatLE(value);
    else bytes.writeDoubleLE(value);
  } else {
    let rest = toWord(value);
    for (let index = 0; index < item.size; index += 1, rest >>= 8n) bytes[index] = Number(rest & 255n);
  }
  if (item.isBig) bytes.reverse();
  return bytes.toString("latin1");
}

/** C's casts of a double on x86, to a signed integer below zero and to an unsigned one above. */
function toWord(value: number): bigint {
  if (Number.isNaN(value) || value < -(2 ** 63)) return 2n ** 63n;
  return value >= 2 ** 64 ? 0n : BigInt.asUintN(64, BigInt(Math.trunc(value)));
}

function unpack(args: Arguments): readonly Value[] {
  const format = new Format(args);
  const data = Buffer.from(args.text(2), "latin1");
  const start = args.integer(3, 1);
  if (start === 0) throw args.error(3, "offset must be 1 or greater");
  // A negative offset is a huge one in C.
  let at = start < 0 ? Infinity : start - 1;
  const values: Value[] = [];
  const need = (size: number): void => {
    if (size > data.length || at > data.length - size) throw args.error(2, "data string too short");
  };
  for (const item of format) {
    let { size } = item;
    at += item.padding(at);
    need(size);
    if (item.letter === "s") {
      const end = data.indexOf(0, at);
      if (end < 0) throw args.failure("unfinished string in data");
      values.push(data.toString("latin1", at, end));
      size = end - at + 1;
    } else if (item.letter === "c") {
      if (size === 0) {
        const given = toNumber(values.at(-1));
        if (given === undefined) throw args.failure("format 'c0' needs a previous size");
        values.pop();
        size = given < 0 ? Infinity : Math.trunc(given);
        need(size);
      }
      values.push(data.toString("latin1", at, at + size));
    } else if (item.isValue) values.push(numberAt(data.subarray(at, at + size), item));
    at += size;
  }
  return [...values, at + 1];
}

function numberAt(data: Buffer, item: Item): number {
  const bytes = Buffer.from(item.isBig ? data.toReversed() : data);
  if (item.letter === "f") return bytes.readFloatLE();
  if (item.letter === "d") return bytes.readDoubleLE();
  let word = 0n;
  for (const byte of bytes.toReversed()) word = BigInt.asUintN(64, (word << 8n) | BigInt(byte));
  if (item.letter === item.letter.toUpperCase()) return Number(word);
  // For more than 8 bytes x86 shifts by the remainder.
  const mask = BigInt.asUintN(64, -1n << BigInt((item.size * 8 - 1) & 63));
  return Number(BigInt.asIntN(64, (word & mask) === 0n ? word : word | mask));
}
