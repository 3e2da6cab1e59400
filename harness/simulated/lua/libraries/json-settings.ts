import { Userdata } from "../value.ts";

/** JSON's null: a value that is not nil, because a table cannot hold nil. */
export const JSON_NULL = new Userdata("cjson.null");

/** The settings of `cjson` that scripts can change. */
export interface JsonSettings {
  /** A list with too many gaps becomes an object; otherwise it is refused. */
  sparseConvert: "off" | "on";
  /** A list has too many gaps when its last index is more than this many times its number of items. 0: never. */
  sparseRatio: number;
  /** Up to this last index a list may have any number of gaps. */
  sparseSafe: number;
  encodeMaxDepth: number;
  decodeMaxDepth: number;
  /** Significant digits of numbers. */
  precision: number;
  /** Whether NaN and infinity are written, refused, or written as null. */
  encodeInvalid: "off" | "on" | "null";
  /** Whether NaN, infinity and hexadecimal numbers are read. */
  decodeInvalid: "off" | "on";
  /** Without an effect that scripts could see. */
  keepBuffer: "off" | "on";
}

export function defaultJsonSettings(): JsonSettings {
  return {
    sparseConvert: "off",
    sparseRatio: 2,
    sparseSafe: 10,
    encodeMaxDepth: 1000,
    decodeMaxDepth: 1000,
    precision: 14,
    encodeInvalid: "off",
    decodeInvalid: "on",
    keepBuffer: "on",
  };
}
