import {
  at,
  changed,
  countArgument,
  doubleArgument,
  drawCountArgument,
  fail,
  readAs,
  syntaxError,
  writeAs,
} from "../arguments.ts";
import { command, NO_KEYS, ONE_KEY, type Caller, type Command } from "../command.ts";
import { ErrorReply, NULL_ARRAY, type Reply } from "../protocol/reply.ts";
import type { RedisServer } from "../server.ts";
import { SortedSet, type Scored } from "../keyspace/sorted-set.ts";
import type { SortedSetValue } from "../keyspace/values.ts";
import { multiplePopArguments, timeoutArgument, type MultiplePop } from "./blocking-arguments.ts";
import { drawMany } from "./draw.ts";
import { dropIfEmpty } from "./hashes.ts";
import { scanCollection } from "./scan.ts";
import { countInRange, parseLexRange, parseScoreRange, range, removeRange } from "./sorted-set-ranges.ts";
import { doubleReply, formatScanScore } from "./sorted-set-scores.ts";

const WRITE = "write denyoom fast";
const READ = "readonly fast";

/** Commands on sorted sets, without those that combine several (`sorted-set-combinations.ts`) and those that wait. */
export const sortedSetCommands: readonly Command[] = [
  command("zadd", -4, WRITE, ONE_KEY, (argv, caller) => addMembers(argv, caller, false)),
  command("zincrby", 4, WRITE, ONE_KEY, (argv, caller) => addMembers(argv, caller, true)),
  command("zrem", -3, "write fast", ONE_KEY, removeMembers),
  command("zcard", 2, READ, ONE_KEY, (argv, caller) => scoresOf(argv, caller)?.size ?? 0),
  command("zscore", 3, READ, ONE_KEY, (argv, caller) =>
    scoreReply(caller.server, scoresOf(argv, caller)?.score(at(argv, 2))),
  ),
  command("zmscore", -3, READ, ONE_KEY, (argv, caller) => {
    const scores = scoresOf(argv, caller);
    return argv.slice(2).map((member) => scoreReply(caller.server, scores?.score(member)));
  }),
  command("zcount", 4, READ, ONE_KEY, (argv, caller) =>
    countInRange(parseScoreRange(at(argv, 2), at(argv, 3), caller.server.isModern), scoresOf(argv, caller)),
  ),
  command("zlexcount", 4, READ, ONE_KEY, (argv, caller) =>
    countInRange(parseLexRange(at(argv, 2), at(argv, 3)), scoresOf(argv, caller)),
  ),
  command("zrange", -4, "readonly", ONE_KEY, (argv, caller) => range(argv, caller, {})),
  command("zrevrange", -4, "readonly", ONE_KEY, (argv, caller) => range(argv, caller, { by: "rank", reverse: true })),
  command("zrangebyscore", -4, "readonly", ONE_KEY, (argv, caller) =>
    range(argv, caller, { by: "score", reverse: false }),
  ),
  command("zrevrangebyscore", -4, "readonly", ONE_KEY, (argv, caller) =>
    range(argv, caller, { by: "score", reverse: true }),
  ),
  command("zrangebylex", -4, "readonly", ONE_KEY, (argv, caller) => range(argv, caller, { by: "lex", reverse: false })),
  command("zrevrangebylex", -4, "readonly", ONE_KEY, (argv, caller) =>
    range(argv, caller, { by: "lex", reverse: true }),
  ),
  command("zremrangebyscore", 4, "write", ONE_KEY, (argv, caller) => removeRange(argv, caller, "score")),
  command("zremrangebyrank", 4, "write", ONE_KEY, (argv, caller) => removeRange(argv, caller, "rank")),
  command("zremrangebylex", 4, "write", ONE_KEY, (argv, caller) => removeRange(argv, caller, "lex")),
  command("zpopmin", -2, "write fast", ONE_KEY, (argv, caller) => pop(argv, caller, "zpopmin")),
  command("zpopmax", -2, "write fast", ONE_KEY, (argv, caller) => pop(argv, caller, "zpopmax")),
  command(
    "zmpop",
    -4,
    "write movablekeys",
    NO_KEYS,
    (argv, caller) => popFromFirst(caller, multiplePopArguments(argv, 1, whereArgument)) ?? NULL_ARRAY,
  ),
  command("zrandmember", -2, "readonly", ONE_KEY, randomMembers),
  command("zscan", -3, "readonly", ONE_KEY, (argv, caller) =>
    scanCollection(argv, caller, "zset", (key) => {
      const value = readAs(caller, key, "zset");
      if (value === undefined) return [];
      return value.scores
        .all()
        .map(({ member, score }) => [member, formatScanScore(caller.server, value.encoding, score)]);
    }),
  ),
];

/** ZRANK and ZREVRANK, which accept WITHSCORE since 7.2. */
export const rankCommands = {
  old: rankPair(3),
  modern: rankPair(-3),
} satisfies Record<string, readonly Command[]>;

function rankPair(arity: number): readonly Command[] {
  return [
    command("zrank", arity, READ, ONE_KEY, (argv, caller) => rank(argv, caller, false)),
    command("zrevrank", arity, READ, ONE_KEY, (argv, caller) => rank(argv, caller, true)),
  ];
}

function scoresOf(argv: readonly string[], caller: Caller): SortedSet | undefined {
  return readAs(caller, at(argv, 1), "zset")?.scores;
}

function scoreReply(server: RedisServer, score: number | undefined): Reply {
  return score === undefined ? null : doubleReply(server, score);
}

interface AddOptions {
  nx: boolean;
  xx: boolean;
  gt: boolean;
  lt: boolean;
  ch: boolean;
  incr: boolean;
}

function parseAdd(argv: readonly string[], incr: boolean): { options: AddOptions; pairs: readonly Scored[] } {
  const options: AddOptions = { nx: false, xx: false, gt: false, lt: false, ch: false, incr };
  let start = 2;
  for (; start < argv.length; start += 1) {
    const option = at(argv, start).toLowerCase();
    if (!(option in options)) break;
    options[option as keyof AddOptions] = true;
  }
  const count = argv.length - start;
  if (count === 0 || count % 2 !== 0) throw syntaxError;
  const { nx, xx, gt, lt } = options;
  if (nx && xx) fail("ERR XX and NX options at the same time are not compatible");
  if ((gt && nx) || (lt && nx) || (gt && lt)) {
    fail("ERR GT, LT, and/or NX options at the same time are not compatible");
  }
  if (options.incr && count > 2) fail("ERR INCR option supports a single increment-element pair");
  const pairs: Scored[] = [];
  for (let index = start; index < argv.length; index += 2) {
    pairs.push({ score: doubleArgument(at(argv, index)), member: at(argv, index + 1) });
  }
  return { options, pairs };
}

function addMembers(argv: readonly string[], caller: Caller, isIncrement: boolean): Reply {
  const { options, pairs } = parseAdd(argv, isIncrement);
  const key = at(argv, 1);
  let value = writeAs(caller, key, "zset");
  if (value === undefined) {
    if (options.xx) return options.incr ? null : 0;
    value = { type: "zset", scores: new SortedSet(), encoding: "listpack" };
    growEncoding(caller, value, pairs.slice(0, 1), pairs.length);
    caller.db.add(key, value);
  } else growEncoding(caller, value, [], value.scores.size + pairs.length);
  const result = { added: 0, updated: 0, processed: 0, score: 0, failed: false };
  for (const pair of pairs) {
    const outcome = addOne(caller, value, pair, options);
    if (outcome === "nan") {
      result.failed = true;
      break;
    }
    if (outcome.kind !== "skipped") result.processed += 1;
    if (outcome.kind === "added") result.added += 1;
    if (outcome.kind === "updated") result.updated += 1;
    result.score = outcome.score;
  }
  if (result.added + result.updated > 0) {
    caller.db.touched(key);
    caller.db.notify("z", options.incr ? "zincr" : "zadd", key);
  }
  if (result.failed) return new ErrorReply("ERR resulting score is not a number (NaN)");
  caller.server.dirty += result.added + result.updated;
  if (options.incr) return result.processed > 0 ? doubleReply(caller.server, result.score) : null;
  return result.added + (options.ch ? result.updated : 0);
}

type Outcome = { readonly kind: "added" | "updated" | "same" | "skipped"; readonly score: number };

function addOne(
  caller: Caller,
  value: SortedSetValue,
  { member, score }: Scored,
  options: AddOptions,
): Outcome | "nan" {
  const { scores } = value;
  const before = scores.score(member);
  if (before === undefined) {
    if (options.xx) return { kind: "skipped", score };
    growEncoding(caller, value, [{ member, score }], scores.size + 1);
    store(value, member, score);
    return { kind: "added", score };
  }
  if (options.nx) return { kind: "skipped", score };
  const after = options.incr ? before + score : score;
  if (Number.isNaN(after)) return "nan";
  if ((options.lt && after >= before) || (options.gt && after <= before)) return { kind: "skipped", score: after };
  if (after === before) return { kind: "same", score: after };
  store(value, member, after);
  return { kind: "updated", score: after };
}

/** A value of these elements, in the encoding that holds them. */
export function newSortedSet(caller: Caller, elements: readonly Scored[]): SortedSetValue {
  const value: SortedSetValue = { type: "zset", scores: new SortedSet(), encoding: "listpack" };
  growEncoding(caller, value, elements, elements.length);
  for (const { member, score } of elements) store(value, member, score);
  return value;
}

/** A listpack holds whole scores as integers, which have no negative zero. */
function store({ scores, encoding }: SortedSetValue, member: string, score: number): void {
  scores.set(member, score === 0 && encoding === "listpack" ? 0 : score);
}

function growEncoding(caller: Caller, value: SortedSetValue, added: readonly Scored[], size: number): void {
  const { config } = caller.server;
  const longest = config.number("zset-max-listpack-value");
  if (size > config.number("zset-max-listpack-entries") || added.some(({ member }) => member.length > longest)) {
    value.encoding = "skiplist";
  }
}

function removeMembers(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const value = writeAs(caller, key, "zset");
  if (value === undefined) return 0;
  const removed = argv.slice(2).filter((member) => value.scores.delete(member)).length;
  if (removed === 0) return 0;
  caller.db.notify("z", "zrem", key);
  dropIfEmpty(caller, key, value.scores.size);
  changed(caller, key, removed);
  return removed;
}

function rank(argv: readonly string[], caller: Caller, reverse: boolean): Reply {
  if (argv.length > 4) return fail(`ERR wrong number of arguments for '${at(argv, 0).toLowerCase()}' command`);
  const withScore = argv.length === 4;
  if (withScore && at(argv, 3).toLowerCase() !== "withscore") throw syntaxError;
  const scores = scoresOf(argv, caller);
  const position = scores?.rank(at(argv, 2));
  if (scores === undefined || position === undefined) return withScore ? NULL_ARRAY : null;
  const found = reverse ? scores.size - 1 - position : position;
  return withScore ? [found, scoreReply(caller.server, scores.score(at(argv, 2)))] : found;
}

function pop(argv: readonly string[], caller: Caller, event: Pop): Reply {
  if (argv.length > 3) throw syntaxError;
  const count = argv.length === 3 ? countArgument(at(argv, 2)) : undefined;
  const key = at(argv, 1);
  const value = writeAs(caller, key, "zset");
  if (value === undefined || count === 0) return [];
  const popped = take(caller, key, value, event, count ?? 1);
  const pairs = popped.map(({ member, score }): Reply[] => [member, doubleReply(caller.server, score)]);
  return caller.resp === 3 && count !== undefined ? pairs : pairs.flat();
}

type Pop = "zpopmin" | "zpopmax";

/** Takes up to `count` members, at least one, from an end. */
function take(caller: Caller, key: string, value: SortedSetValue, event: Pop, count: number): readonly Scored[] {
  const ordered = event === "zpopmin" ? value.scores.all() : value.scores.all().toReversed();
  const popped = ordered.slice(0, count);
  for (const { member } of popped) value.scores.delete(member);
  caller.db.notify("z", event, key);
  dropIfEmpty(caller, key, value.scores.size);
  changed(caller, key, popped.length);
  return popped;
}

/** Commands on sorted sets that wait for a member. Scripts could not call the older ones before 7.2. */
export const blockingSortedSetCommands = { old: blocking("noscript "), modern: blocking("") };

function blocking(noscript: string): readonly Command[] {
  const flags = `write ${noscript}blocking fast`;
  return [
    command("bzpopmin", -3, flags, [1, -2, 1], (argv, caller) => blockingPop(argv, caller, "zpopmin")),
    command("bzpopmax", -3, flags, [1, -2, 1], (argv, caller) => blockingPop(argv, caller, "zpopmax")),
    command("bzmpop", -5, "write blocking movablekeys", NO_KEYS, (argv, caller) => {
      const request = multiplePopArguments(argv, 2, whereArgument);
      const timeoutMs = timeoutArgument(at(argv, 1), caller.server);
      const { keys, where, count } = request;
      const end = where === "zpopmin" ? "min" : "max";
      return (
        popFromFirst(caller, request) ??
        caller.server.blocked.wait(caller, { keys, type: "zset", timeoutMs }, (key) =>
          caller.server.isModern ? argv : ["bzmpop", at(argv, 1), "1", key, end, "count", String(count)],
        )
      );
    }),
  ];
}

function whereArgument(text: string): Pop {
  const lower = text.toLowerCase();
  if (lower !== "min" && lower !== "max") throw syntaxError;
  return lower === "min" ? "zpopmin" : "zpopmax";
}

function blockingPop(argv: readonly string[], caller: Caller, event: Pop): Reply {
  const keys = argv.slice(1, -1);
  const timeout = at(argv, argv.length - 1);
  const timeoutMs = timeoutArgument(timeout, caller.server);
  for (const key of keys) {
    const value = writeAs(caller, key, "zset");
    if (value === undefined) continue;
    const [popped] = take(caller, key, value, event, 1);
    caller.server.rewritten = [event.toUpperCase(), key];
    return [key, popped?.member, scoreReply(caller.server, popped?.score)];
  }
  return caller.server.blocked.wait(caller, { keys, type: "zset", timeoutMs }, (key) =>
    caller.server.isModern ? argv : [at(argv, 0), key, timeout],
  );
}

/** ZMPOP: the reply from the first key that has a sorted set; undefined when none has one. */
function popFromFirst(caller: Caller, { keys, where, count }: MultiplePop<Pop>): Reply | undefined {
  for (const key of keys) {
    const value = writeAs(caller, key, "zset");
    if (value === undefined) continue;
    const popped = take(caller, key, value, where, count);
    caller.server.rewritten = [where.toUpperCase(), key, String(popped.length)];
    return [key, popped.map(({ member, score }) => [member, scoreReply(caller.server, score)])];
  }
  return undefined;
}

function randomMembers(argv: readonly string[], caller: Caller): Reply {
  const { random } = caller.server;
  if (argv.length === 2) {
    const all = scoresOf(argv, caller)?.all() ?? [];
    return all[random.integer(0, Math.max(0, all.length - 1))]?.member ?? null;
  }
  const withScores = argv.length === 4 && at(argv, 3).toLowerCase() === "withscores";
  const count = drawCountArgument(at(argv, 2), withScores);
  if (argv.length > 3 && !withScores) throw syntaxError;
  const drawn = drawMany(random, scoresOf(argv, caller)?.all() ?? [], count);
  if (!withScores) return drawn.map(({ member }) => member);
  const pairs = drawn.map(({ member, score }): Reply[] => [member, doubleReply(caller.server, score)]);
  return caller.resp === 3 ? pairs : pairs.flat();
}
