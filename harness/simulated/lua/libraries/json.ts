import type { Arguments } from "./arguments.ts";
import { encodeJson } from "./json-encoder.ts";
import { JsonReader } from "./json-reader.ts";
import { defaultJsonSettings, JSON_NULL, type JsonSettings } from "./json-settings.ts";
import { type LibraryFunction, libraryTable } from "./library.ts";
import type { Value } from "../value.ts";

const INT_MAX = 2_147_483_647;

/** The values in `cjson` besides its functions. */
export const JSON_CONSTANTS: Readonly<Record<string, Value>> = { null: JSON_NULL, _NAME: "cjson", _VERSION: "2.1.0" };

/** The library `cjson` (lua-cjson 2.1), with settings of its own that last as long as the interpreter. */
export function jsonLibrary(): Readonly<Record<string, LibraryFunction>> {
  const settings = defaultJsonSettings();
  return {
    encode: (args) => {
      if (args.count !== 1) throw args.error(1, "expected 1 argument");
      return encodeJson(args.at(1), settings, args);
    },
    decode: (args) => {
      if (args.count !== 1) throw args.error(1, "expected 1 argument");
      return [new JsonReader(args.text(1), settings, args).whole()];
    },
    encode_sparse_array: (args) => {
      expectAtMost(args, 3);
      settings.sparseConvert = option(args, settings.sparseConvert, ["off", "on"]);
      settings.sparseRatio = integer(args, 2, settings.sparseRatio, 0, INT_MAX);
      settings.sparseSafe = integer(args, 3, settings.sparseSafe, 0, INT_MAX);
      return [settings.sparseConvert === "on", settings.sparseRatio, settings.sparseSafe];
    },
    encode_max_depth: numeric(settings, "encodeMaxDepth", 1, INT_MAX),
    decode_max_depth: numeric(settings, "decodeMaxDepth", 1, INT_MAX),
    encode_number_precision: numeric(settings, "precision", 1, 14),
    encode_keep_buffer: (args) => {
      expectAtMost(args, 1);
      settings.keepBuffer = option(args, settings.keepBuffer, ["off", "on"]);
      return settings.keepBuffer === "on";
    },
    encode_invalid_numbers: (args) => {
      expectAtMost(args, 1);
      settings.encodeInvalid = option(args, settings.encodeInvalid, ["off", "on", "null"]);
      return settings.encodeInvalid === "null" ? "null" : settings.encodeInvalid === "on";
    },
    decode_invalid_numbers: (args) => {
      expectAtMost(args, 1);
      settings.decodeInvalid = option(args, settings.decodeInvalid, ["off", "on"]);
      return settings.decodeInvalid === "on";
    },
    new: (_args, runtime) => libraryTable(jsonLibrary(), runtime, JSON_CONSTANTS),
  };
}

function expectAtMost(args: Arguments, count: number): void {
  if (args.count > count) throw args.error(count + 1, "found too many arguments");
}

function numeric(
  settings: JsonSettings,
  name: "encodeMaxDepth" | "decodeMaxDepth" | "precision",
  least: number,
  most: number,
): LibraryFunction {
  return (args) => {
    expectAtMost(args, 1);
    settings[name] = integer(args, 1, settings[name], least, most);
    return settings[name];
  };
}

/** An integer, if one is given. The library's error always names the first argument. */
function integer(args: Arguments, position: number, present: number, least: number, most: number): number {
  if (args.at(position) === undefined) return present;
  const value = args.int(position);
  if (value < least || value > most) throw args.error(1, `expected integer between ${least} and ${most}`);
  return value;
}

/** A boolean or one of the words, in the first argument, if it is given. */
function option<T extends "off" | "on" | "null">(args: Arguments, present: T, words: readonly T[]): T {
  const given = args.at(1);
  if (given === undefined) return present;
  const word = typeof given === "boolean" ? (given ? "on" : "off") : args.text(1);
  const found = words.find((each) => each === word);
  if (found === undefined) throw args.error(1, `invalid option '${word}'`);
  return found;
}
