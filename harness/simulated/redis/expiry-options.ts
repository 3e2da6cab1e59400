import { fail, integerArgument, syntaxError } from "./arguments.ts";
import { add, multiply, type Integer } from "./numbers/integers.ts";

/** The time given by EX, PX, EXAT or PXAT, as it was written. */
export interface ExpiryOption {
  readonly unit: "ex" | "px" | "exat" | "pxat";
  readonly amount: string;
}

/** Options of SET and GETEX. */
export interface SetOptions {
  condition?: "nx" | "xx";
  get?: boolean;
  keepTtl?: boolean;
  persist?: boolean;
  expiry?: ExpiryOption;
}

/** Reads the options from `argv[start]` on. `family` says whether those of SET or those of GETEX are allowed. */
export function parseSetOptions(argv: readonly string[], start: number, family: "set" | "get"): SetOptions {
  const options: SetOptions = {};
  for (let index = start; index < argv.length; index += 1) {
    const name = (argv[index] ?? "").toLowerCase();
    const isUntimed = options.expiry === undefined;
    if (family === "set" && (name === "nx" || name === "xx") && (options.condition ?? name) === name) {
      options.condition = name;
    } else if (family === "set" && name === "get") options.get = true;
    else if (family === "set" && name === "keepttl" && isUntimed) options.keepTtl = true;
    else if (family === "get" && name === "persist" && isUntimed) options.persist = true;
    else if (isUnit(name) && isFree(options, name) && index + 1 < argv.length) {
      index += 1;
      options.expiry = { unit: name, amount: argv[index] ?? "" };
    } else throw syntaxError;
  }
  return options;
}

function isUnit(name: string): name is ExpiryOption["unit"] {
  return name === "ex" || name === "px" || name === "exat" || name === "pxat";
}

/** The same unit may be given again, and then its last value counts. */
function isFree(options: SetOptions, unit: ExpiryOption["unit"]): boolean {
  return options.keepTtl !== true && options.persist !== true && (options.expiry?.unit ?? unit) === unit;
}

/** The option as absolute milliseconds; it must lie in the representable future, though not after now. */
export function absoluteExpiry(argv: readonly string[], option: ExpiryOption, nowMs: number): Integer {
  const given = integerArgument(option.amount);
  const isSeconds = option.unit === "ex" || option.unit === "exat";
  const ms = given > 0 ? (isSeconds ? multiply(given, 1000) : given) : undefined;
  const isRelative = option.unit === "ex" || option.unit === "px";
  const when = ms === undefined ? undefined : isRelative ? add(ms, nowMs) : ms;
  return when ?? fail(`ERR invalid expire time in '${(argv[0] ?? "").toLowerCase()}' command`);
}
