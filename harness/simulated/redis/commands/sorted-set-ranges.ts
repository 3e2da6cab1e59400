import { at, changed, fail, numberArgument, readAs, syntaxError, writeAs } from "../arguments.ts";
import type { Caller } from "../command.ts";
import { parseHexadecimal } from "../numbers/floats.ts";
import type { Reply } from "../protocol/reply.ts";
import type { Scored, SortedSet } from "../keyspace/sorted-set.ts";
import { dropIfEmpty } from "./hashes.ts";
import { sliceBounds } from "./lists.ts";
import { doubleReply } from "./sorted-set-scores.ts";

/** Which members are below a range, and which are above it. */
interface Bounds {
  readonly below: (element: Scored) => boolean;
  readonly above: (element: Scored) => boolean;
  readonly empty: boolean;
}

type By = "rank" | "score" | "lex";

/** Reads `1.5`, `(1.5`, `-inf`. */
export function parseScoreRange(min: string, max: string, isModern: boolean): Bounds {
  const low = parseScoreBound(min, isModern);
  const high = parseScoreBound(max, isModern);
  return {
    below: ({ score }) => (low.exclusive ? score <= low.value : score < low.value),
    above: ({ score }) => (high.exclusive ? score >= high.value : score > high.value),
    empty: low.value > high.value || (low.value === high.value && (low.exclusive || high.exclusive)),
  };
}

/**
 * The empty text is 0, and a number that is too large is infinite. 7.0 read it with C's strtod, which skips leading
 * blanks and accepts hexadecimal numbers.
 */
function parseScoreBound(text: string, isModern: boolean): { value: number; exclusive: boolean } {
  const exclusive = text.startsWith("(");
  const end = text.indexOf("\0");
  const number = (end < 0 ? text : text.slice(0, end)).slice(exclusive ? 1 : 0);
  const trimmed = isModern ? number : number.replace(/^[ \t\n\v\f\r]+/, "");
  if (number === "") return { value: 0, exclusive };
  const infinite = /^([+-]?)inf(?:inity)?$/i.exec(trimmed);
  if (infinite) return { value: infinite[1] === "-" ? -Infinity : Infinity, exclusive };
  const isDecimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed);
  const value = isDecimal ? Number(trimmed) : isModern ? undefined : parseHexadecimal(trimmed);
  return { value: value ?? fail("ERR min or max is not a float"), exclusive };
}

type LexBound = { readonly text: string; readonly exclusive: boolean } | "-" | "+";

/** Reads `[a`, `(a`, `-`, `+`. */
export function parseLexRange(min: string, max: string): Bounds {
  const low = parseLexBound(min);
  const high = parseLexBound(max);
  return {
    below: ({ member }) => isBelow(member, low),
    above: ({ member }) => isAbove(member, high),
    empty: isEmptyLex(low, high),
  };
}

function parseLexBound(text: string): LexBound {
  if (text === "-" || text === "+") return text;
  if (text.startsWith("(") || text.startsWith("[")) return { text: text.slice(1), exclusive: text[0] === "(" };
  return fail("ERR min or max not valid string range item");
}

function isBelow(member: string, low: LexBound): boolean {
  if (low === "-") return false;
  if (low === "+") return true;
  return low.exclusive ? member <= low.text : member < low.text;
}

function isAbove(member: string, high: LexBound): boolean {
  if (high === "+") return false;
  if (high === "-") return true;
  return high.exclusive ? member >= high.text : member > high.text;
}

function isEmptyLex(low: LexBound, high: LexBound): boolean {
  if (low === "+" || high === "-") return true;
  if (low === "-" || high === "+") return false;
  return low.text > high.text || (low.text === high.text && (low.exclusive || high.exclusive));
}

/**
 * The members in a range, from its near end on. It walks as the server does: where scores differ, a range by name is
 * meaningless, but still gives the server's answer.
 */
function select(bounds: Bounds, scores: SortedSet, reverse: boolean): readonly Scored[] {
  const all = scores.all();
  const [first, last] = [all[0], all.at(-1)];
  if (bounds.empty || first === undefined || last === undefined) return [];
  if (bounds.below(last) || bounds.above(first)) return [];
  const ordered = reverse ? all.toReversed() : all;
  const [isBefore, isBehind] = reverse ? [bounds.above, bounds.below] : [bounds.below, bounds.above];
  const start = ordered.findIndex((element) => !isBefore(element));
  if (start < 0) return [];
  const length = ordered.slice(start).findIndex(isBehind);
  return length < 0 ? ordered.slice(start) : ordered.slice(start, start + length);
}

/** How many members are in a range. */
export function countInRange(bounds: Bounds, scores: SortedSet | undefined): number {
  return scores === undefined ? 0 : select(bounds, scores, false).length;
}

interface RangeOptions {
  by?: By;
  reverse?: boolean;
  withScores?: boolean;
  offset?: number;
  limit?: number;
}

/** ZRANGE and its older relatives, which fix the kind of range and the direction. */
export function range(argv: readonly string[], caller: Caller, fixed: { by?: By; reverse?: boolean }): Reply {
  const options = parseOptions(argv, fixed);
  const found = inRange(argv, caller, options);
  if (options.withScores !== true) return found.map(({ member }) => member);
  const pairs = found.map(({ member, score }): Reply[] => [member, doubleReply(caller.server, score)]);
  return caller.resp === 3 ? pairs : pairs.flat();
}

/** What ZRANGESTORE stores: `argv` has the target before what ZRANGE has. */
export function rangeToStore(argv: readonly string[], caller: Caller): readonly Scored[] {
  const asked = argv.slice(1);
  const options = parseOptions(asked, {});
  if (options.withScores === true) throw syntaxError;
  return inRange(asked, caller, options);
}

function inRange(argv: readonly string[], caller: Caller, options: RangeOptions): readonly Scored[] {
  const by = options.by ?? "rank";
  const reverse = options.reverse === true;
  if (options.limit !== undefined && options.limit !== -1 && by === "rank") {
    fail("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  }
  if (options.withScores === true && by === "lex") {
    fail("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
  }
  return by === "rank" ? byRank(argv, caller, reverse) : byBounds(argv, caller, by, options);
}

function parseOptions(argv: readonly string[], fixed: { by?: By; reverse?: boolean }): RangeOptions {
  const options: RangeOptions = { ...fixed };
  for (let index = 4; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    if (option === "withscores") options.withScores = true;
    else if (option === "limit" && index + 2 < argv.length) {
      options.offset = numberArgument(at(argv, index + 1));
      options.limit = numberArgument(at(argv, index + 2));
      index += 2;
    } else if (option === "rev" && (fixed.reverse ?? options.reverse) === undefined) options.reverse = true;
    else if (option === "bylex" && options.by === undefined) options.by = "lex";
    else if (option === "byscore" && options.by === undefined) options.by = "score";
    else throw syntaxError;
  }
  return options;
}

function byRank(argv: readonly string[], caller: Caller, reverse: boolean): readonly Scored[] {
  const start = numberArgument(at(argv, 2));
  const stop = numberArgument(at(argv, 3));
  const all = readAs(caller, at(argv, 1), "zset")?.scores.all() ?? [];
  return (reverse ? all.toReversed() : all).slice(...sliceBounds(start, stop, all.length));
}

function byBounds(
  argv: readonly string[],
  caller: Caller,
  by: "score" | "lex",
  options: RangeOptions,
): readonly Scored[] {
  const reverse = options.reverse === true;
  const [min, max] = reverse ? [at(argv, 3), at(argv, 2)] : [at(argv, 2), at(argv, 3)];
  const bounds = by === "score" ? parseScoreRange(min, max, caller.server.isModern) : parseLexRange(min, max);
  const scores = readAs(caller, at(argv, 1), "zset")?.scores;
  if (scores === undefined) return [];
  const found = select(bounds, scores, reverse);
  const { offset = 0, limit = -1 } = options;
  if (offset < 0) return [];
  return found.slice(offset, limit < 0 ? undefined : offset + limit);
}

/** ZREMRANGEBYSCORE, -RANK and -LEX. */
export function removeRange(argv: readonly string[], caller: Caller, by: By): Reply {
  const [min, max] = [at(argv, 2), at(argv, 3)];
  const start = by === "rank" ? numberArgument(min) : 0;
  const stop = by === "rank" ? numberArgument(max) : 0;
  const bounds =
    by === "score"
      ? parseScoreRange(min, max, caller.server.isModern)
      : by === "lex"
        ? parseLexRange(min, max)
        : undefined;
  const key = at(argv, 1);
  const value = writeAs(caller, key, "zset");
  if (value === undefined) return 0;
  const { scores } = value;
  const found =
    bounds === undefined ? scores.all().slice(...sliceBounds(start, stop, scores.size)) : select(bounds, scores, false);
  if (found.length === 0) return 0;
  for (const { member } of found) scores.delete(member);
  caller.db.notify("z", `zremrangeby${by}`, key);
  dropIfEmpty(caller, key, scores.size);
  changed(caller, key, found.length);
  return found.length;
}
