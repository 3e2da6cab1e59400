import type { Arguments } from "./arguments.ts";
import { libraryFunction, type LibraryFunction } from "./library.ts";
import { type Match, PatternMatcher } from "./pattern.ts";
import type { Runtime } from "../runtime.ts";
import { LuaTable } from "../table.ts";
import { formatText } from "./text-format.ts";
import { LuaError, truthy, type Value } from "../value.ts";

/** The longest result of `string.rep`; real Lua's limit is memory. */
const LONGEST_TEXT = 512 * 1024 * 1024;
const SPECIAL = /[\^$*+?.([%-]/;

/** The library `string` (reference manual, section 5.4). */
export const STRING_LIBRARY: Readonly<Record<string, LibraryFunction>> = {
  byte: (args) => {
    const text = args.text(1);
    const from = fromStart(args.integer(2, 1), text.length);
    const to = fromStart(args.integer(3, from), text.length);
    return [...Buffer.from(text.slice(Math.max(0, from - 1), Math.max(0, to)), "latin1")];
  },
  char: (args) =>
    args.values
      .map((_, index) => {
        const code = args.int(index + 1);
        if (code < 0 || code > 255) throw args.error(index + 1, "invalid value");
        return String.fromCharCode(code);
      })
      .join(""),
  dump: (args) => {
    args.function(1);
    throw args.failure("unable to dump given function");
  },
  find: (args) => find(args, true),
  format: formatText,
  gmatch: (args, runtime) => {
    const text = args.text(1);
    const pattern = args.text(2);
    let at = 0;
    return libraryFunction(() => {
      const match =
        at > text.length ? undefined : guarded(args, () => new PatternMatcher(text, pattern).find(at, false));
      if (match === undefined) return [undefined];
      at = match.end === match.start ? match.end + 1 : match.end;
      return guarded(args, () => match.captures);
    }, runtime);
  },
  gsub: (args, runtime) => substitute(args, runtime),
  len: (args) => args.text(1).length,
  lower: (args) => args.text(1).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  match: (args) => find(args, false),
  rep: (args) => {
    const text = args.text(1);
    const count = Math.max(0, args.int(2));
    if (text.length * count > LONGEST_TEXT) throw args.failure("resulting string too large");
    return text.repeat(count);
  },
  reverse: (args) => args.text(1).split("").toReversed().join(""),
  sub: (args) => {
    const text = args.text(1);
    const from = fromStart(args.integer(2), text.length);
    const to = fromStart(args.integer(3, -1), text.length);
    return text.slice(Math.max(0, from - 1), Math.max(0, to));
  },
  upper: (args) => args.text(1).replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
};

/** Converts a position that may count from the end into one that counts from 1 at the start. */
function fromStart(position: number, length: number): number {
  return position >= 0 ? position : Math.max(0, length + position + 1);
}

function upToNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

function find(args: Arguments, positions: boolean): readonly Value[] {
  const text = args.text(1);
  const pattern = args.text(2);
  const from = Math.min(Math.max(fromStart(args.integer(3, 1), text.length), 1) - 1, text.length);
  if (positions && (truthy(args.at(4)) || !SPECIAL.test(upToNul(pattern)))) {
    const at = text.indexOf(pattern, from);
    return at < 0 ? [undefined] : [at + 1, at + pattern.length];
  }
  const match = guarded(args, () => new PatternMatcher(text, pattern).find(from));
  if (match === undefined) return [undefined];
  if (!positions) return guarded(args, () => match.captures);
  const captures = match.hasCaptures ? guarded(args, () => match.captures) : [];
  return [match.start + 1, match.end, ...captures];
}

function substitute(args: Arguments, runtime: Runtime): readonly Value[] {
  const text = args.text(1);
  const pattern = args.text(2);
  const replacement = args.at(3);
  const kind = typeof replacement;
  if (kind !== "string" && kind !== "number" && kind !== "function" && !(replacement instanceof LuaTable)) {
    throw args.error(3, "string/function/table expected");
  }
  const most = args.int(4, text.length + 1);
  const anchored = pattern.startsWith("^");
  let result = "";
  let [at, count] = [0, 0];
  while (count < most) {
    const match = guarded(args, () => new PatternMatcher(text, pattern).find(at));
    if (match === undefined) break;
    count += 1;
    result += text.slice(at, match.start) + replaced(text, match, replacement, args, runtime);
    at = match.end;
    if (match.end === match.start) {
      result += text.charAt(at);
      at += 1;
    }
    if (anchored || at > text.length) break;
  }
  return [result + text.slice(at), count];
}

function replaced(text: string, match: Match, replacement: Value, args: Arguments, runtime: Runtime): string {
  const whole = text.slice(match.start, match.end);
  let value: Value;
  if (typeof replacement === "function")
    [value] = runtime.invoke(
      replacement,
      guarded(args, () => match.captures),
    );
  else if (replacement instanceof LuaTable)
    value = runtime.index(
      replacement,
      guarded(args, () => match.capture(0)),
      { line: 0 },
    );
  else return expand(args.text(3), whole, match, args);
  if (!truthy(value)) return whole;
  if (typeof value === "string" || typeof value === "number") return runtime.toText(value);
  throw args.failure(`invalid replacement value (a ${value instanceof LuaTable ? "table" : typeof value})`);
}

/** `%0` to `%9` in a replacement are the whole match and its captures. */
function expand(template: string, whole: string, match: Match, args: Arguments): string {
  return template.replaceAll(/%([\s\S]?)/g, (_, character: string) => {
    // After a final % real Lua takes the zero at the end of the text.
    if (character === "") return "\0";
    if (!/\d/.test(character)) return character;
    if (character === "0") return whole;
    return String(guarded(args, () => match.capture(Number(character) - 1)));
  });
}

/** Errors in the pattern get the position of the call. */
function guarded<T>(args: Arguments, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LuaError && typeof error.value === "string") throw args.failure(error.value);
    throw error;
  }
}
