import type { Arguments } from "./arguments.ts";
import type { LibraryFunction } from "./library.ts";

/** The library `bit` (LuaBitOp): 32-bit integers, results signed. */
export const BIT_LIBRARY: Readonly<Record<string, LibraryFunction>> = {
  arshift: (args) => word(args, 1) >> (word(args, 2) & 31),
  band: fold((a, b) => a & b),
  bnot: (args) => ~word(args, 1),
  bor: fold((a, b) => a | b),
  bswap: (args) => {
    const value = word(args, 1);
    return (value >>> 24) | ((value >>> 8) & 0xff00) | ((value << 8) & 0xff_0000) | (value << 24);
  },
  bxor: fold((a, b) => a ^ b),
  lshift: (args) => word(args, 1) << (word(args, 2) & 31),
  rol: (args) => rotate(word(args, 1), word(args, 2) & 31),
  ror: (args) => rotate(word(args, 1), -word(args, 2) & 31),
  rshift: (args) => (word(args, 1) >>> (word(args, 2) & 31)) | 0,
  tobit: (args) => word(args, 1),
  tohex: (args) => {
    const value = word(args, 1) >>> 0;
    const digits = args.count < 2 ? 8 : word(args, 2);
    const count = Math.min(8, Math.abs(digits));
    const text = value
      .toString(16)
      .padStart(8, "0")
      .slice(8 - count);
    return digits < 0 ? text.toUpperCase() : text;
  },
};

const view = new DataView(new ArrayBuffer(8));

/** The lower 32 bits of a double after the library's magic addition: a number modulo 2^32, up to 2^51 rounded half to even. */
function word(args: Arguments, position: number): number {
  view.setFloat64(0, args.number(position) + 6_755_399_441_055_744);
  return view.getInt32(4);
}

function fold(combine: (a: number, b: number) => number): LibraryFunction {
  return (args) => {
    let result = word(args, 1);
    for (let position = 2; position <= args.count; position += 1) result = combine(result, word(args, position));
    return result | 0;
  };
}

function rotate(value: number, by: number): number {
  return by === 0 ? value : (value << by) | (value >>> (32 - by));
}
