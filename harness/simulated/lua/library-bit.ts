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
    const digits = args.at(2) === undefined ? 8 : word(args, 2);
    const count = Math.min(8, Math.abs(digits));
    const text = value
      .toString(16)
      .padStart(8, "0")
      .slice(8 - count);
    return digits < 0 ? text.toUpperCase() : text;
  },
};

/** A number modulo 2^32, rounded half to even, as the library's magic addition does. */
function word(args: Arguments, position: number): number {
  const value = args.number(position);
  const floor = Math.floor(value);
  const rest = value - floor;
  return (rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor) | 0;
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
