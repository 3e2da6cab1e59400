import type { Arguments } from "./arguments.ts";
import type { LibraryFunction } from "./library.ts";
import { LuaTable } from "../table.ts";
import type { Value } from "../value.ts";

/** A table nested in this many others is packed as nil. */
const DEEPEST = 16;

/** The library `cmsgpack` (lua-cmsgpack 0.4.0): MessagePack. */
export const MESSAGE_PACK_LIBRARY: Readonly<Record<string, LibraryFunction>> = {
  pack: (args) => {
    if (args.count === 0) throw args.error(0, "MessagePack pack needs input.");
    return args.values.map((value) => pack(value, 0)).join("");
  },
  unpack: (args) => unpack(args, 0, 0),
  unpack_one: (args) => unpack(args, 1, args.integer(2, 0)),
  unpack_limit: (args) => unpack(args, args.integer(2), args.integer(3, 0)),
};

export const MESSAGE_PACK_CONSTANTS: Readonly<Record<string, string>> = {
  _NAME: "cmsgpack",
  _VERSION: "lua-cmsgpack 0.4.0",
  _COPYRIGHT: "Copyright (C) 2012, Salvatore Sanfilippo",
  _DESCRIPTION: "MessagePack C implementation for Lua",
};

function pack(value: Value, level: number): string {
  switch (typeof value) {
    case "string":
      return headed(value.length, [0xa0, 31], [0xd9, 0xda, 0xdb]) + value;
    case "boolean":
      return value ? "\xc3" : "\xc2";
    case "number":
      return packNumber(value);
    case "object":
      if (value instanceof LuaTable && level < DEEPEST) return packTable(value, level + 1);
      return "\xc0";
    default:
      return "\xc0";
  }
}

/**
 * The head of a value with a length: within the first byte up to `most`, or after it in 1 (strings only), 2 or 4 bytes.
 */
function headed(
  length: number,
  [fixed, most]: readonly [number, number],
  [in1, in2, in4]: readonly [number | undefined, number, number],
): string {
  if (length <= most) return String.fromCharCode(fixed | length);
  if (in1 !== undefined && length <= 0xff) return String.fromCharCode(in1, length);
  return length <= 0xffff ? tagged(in2, 2, BigInt(length)) : tagged(in4, 4, BigInt(length));
}

/** A tag and an integer of this many bytes, the most significant first. */
function tagged(tag: number, bytes: number, value: bigint): string {
  const digits = BigInt.asUintN(bytes * 8, value)
    .toString(16)
    .padStart(bytes * 2, "0");
  return String.fromCharCode(tag) + Buffer.from(digits, "hex").toString("latin1");
}

function packNumber(value: number): string {
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63) return packInteger(value);
  const bytes = Buffer.alloc(9);
  if (Math.fround(value) === value) {
    bytes[0] = 0xca;
    bytes.writeFloatBE(value, 1);
    return bytes.toString("latin1", 0, 5);
  }
  // The NaN of x86 has its sign set.
  if (Number.isNaN(value)) return tagged(0xcb, 8, 0xfff8_0000_0000_0000n);
  bytes[0] = 0xcb;
  bytes.writeDoubleBE(value, 1);
  return bytes.toString("latin1");
}

function packInteger(value: number): string {
  const integer = BigInt(value);
  if (value >= 0) {
    if (value <= 127) return String.fromCharCode(value);
    if (value <= 0xff) return tagged(0xcc, 1, integer);
    if (value <= 0xffff) return tagged(0xcd, 2, integer);
    return value <= 0xffff_ffff ? tagged(0xce, 4, integer) : tagged(0xcf, 8, integer);
  }
  if (value >= -32) return String.fromCharCode(value & 0xff);
  if (value >= -128) return tagged(0xd0, 1, integer);
  if (value >= -32_768) return tagged(0xd1, 2, integer);
  return value >= -2_147_483_648 ? tagged(0xd2, 4, integer) : tagged(0xd3, 8, integer);
}

function packTable(table: LuaTable, level: number): string {
  if (isList(table)) {
    let packed = headed(table.length, [0x90, 15], [undefined, 0xdc, 0xdd]);
    for (let index = 1; index <= table.length; index += 1) packed += pack(table.get(index), level);
    return packed;
  }
  const entries = [...table.entries()];
  const body = entries.map(([key, value]) => pack(key, level) + pack(value, level)).join("");
  return headed(entries.length, [0x80, 15], [undefined, 0xde, 0xdf]) + body;
}

/** Whether the keys are exactly 1 to the number of entries; an empty table is a list. */
function isList(table: LuaTable): boolean {
  let [count, largest] = [0, 0];
  for (const [key] of table.entries()) {
    if (typeof key !== "number" || key <= 0 || !Number.isInteger(key) || key > 0x7fff_ffff) return false;
    largest = Math.max(largest, key);
    count += 1;
  }
  return largest === count;
}

/**
 * Unpacks `limit` values from `offset` on, and returns the offset after them first; with 0 and 0 all values, without
 * the offset.
 */
function unpack(args: Arguments, limit: number, offset: number): readonly Value[] {
  const text = args.text(1);
  if (offset < 0 || limit < 0) {
    throw args.failure(`Invalid request to unpack with offset of ${offset | 0} and limit of ${text.length}.`);
  }
  if (offset > text.length) {
    throw args.failure(`Start offset ${offset | 0} greater than input length ${text.length}.`);
  }
  const isAll = limit === 0 && offset === 0;
  const reader = new MessageReader(text, offset, args);
  const values: Value[] = [];
  const most = isAll ? Infinity : limit;
  while (reader.left > 0 && values.length < most) values.push(reader.value());
  if (isAll) return values;
  return [reader.left === 0 ? -1 : text.length - reader.left, ...values];
}

/** Takes one value after another from a text. */
class MessageReader {
  readonly #bytes: Buffer;
  readonly #args: Arguments;
  #at: number;

  constructor(text: string, offset: number, args: Arguments) {
    this.#bytes = Buffer.from(text, "latin1");
    this.#at = offset;
    this.#args = args;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** @throws LuaError when bytes are missing or invalid */
  value(): Value {
    const tag = this.#unsigned(1);
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 0x100;
    if (tag < 0x90) return this.#map(tag & 15);
    if (tag < 0xa0) return this.#list(tag & 15);
    if (tag < 0xc0) return this.#text(tag & 31);
    switch (tag) {
      case 0xc0:
        return undefined;
      case 0xc2:
      case 0xc3:
        return tag === 0xc3;
      case 0xca:
        return this.#take(4).readFloatBE();
      case 0xcb:
        return this.#take(8).readDoubleBE();
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#unsigned(1 << (tag - 0xcc));
      case 0xd0:
      case 0xd1:
      case 0xd2: {
        const bytes = 1 << (tag - 0xd0);
        return this.#take(bytes).readIntBE(0, bytes);
      }
      // The library reads 64-bit numbers as signed, regardless of what their tag says.
      case 0xcf:
      case 0xd3:
        return Number(this.#take(8).readBigInt64BE());
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#unsigned(1 << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#unsigned(2 << (tag - 0xdc)));
      case 0xde:
      case 0xdf:
        return this.#map(this.#unsigned(2 << (tag - 0xde)));
      default:
        throw this.#args.failure("Bad data format in input.");
    }
  }

  #take(count: number): Buffer {
    if (this.left < count) throw this.#args.failure("Missing bytes in input.");
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  #unsigned(bytes: number): number {
    return this.#take(bytes).readUIntBE(0, bytes);
  }

  #text(length: number): string {
    return this.#take(length).toString("latin1");
  }

  #list(length: number): LuaTable {
    const table = new LuaTable();
    for (let index = 1; index <= length; index += 1) table.set(index, this.value());
    return table;
  }

  #map(size: number): LuaTable {
    const table = new LuaTable();
    for (let index = 0; index < size; index += 1) {
      const key = this.value();
      table.set(key, this.value());
    }
    return table;
  }
}
