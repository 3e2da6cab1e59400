import { maybe, oneOf, shape, some, word, type Shape } from "./shape.ts";
import { CONSUMER_GROUPS, STREAMS } from "./stream-shapes.ts";

const expiryOption = oneOf(
  [word("ex"), "ttl-s"],
  [word("px"), "ttl-ms"],
  [word("exat"), "at-s"],
  [word("pxat"), "at-ms"],
);
const setOption = oneOf(word("nx"), word("xx"), word("get"), word("keepttl"), expiryOption, expiryOption);
const condition = oneOf(word("nx"), word("xx"), word("gt"), word("lt"));

const STRINGS: readonly Shape[] = [
  shape("get", "key"),
  shape("get", "key"),
  shape("set", "key", "value"),
  shape("set", "key", "value", some(setOption, 0, 3)),
  shape("set", "key", "value", some(setOption, 0, 3)),
  shape("setnx", "key", "value"),
  shape("setex", "key", "ttl-s", "value"),
  shape("psetex", "key", "ttl-ms", "value"),
  shape("getset", "key", "value"),
  shape("getdel", "key"),
  shape("getex", "key", maybe(oneOf(word("persist"), expiryOption))),
  shape("mget", some("key")),
  shape("mset", some(["key", "value"])),
  shape("msetnx", some(["key", "value"])),
  shape("incr", "key"),
  shape("decr", "key"),
  shape("incrby", "key", "integer"),
  shape("decrby", "key", "integer"),
  shape("incrbyfloat", "key", "float"),
  shape("append", "key", "value"),
  shape("strlen", "key"),
  shape("getrange", "key", "index", "index"),
  shape("substr", "key", "index", "index"),
  shape("setrange", "key", "small", "value"),
];

const bit = oneOf(word("0"), word("1"), "small");
const offset = oneOf(word("0"), word("7"), word("100"), word("-1"), word("x"), "value");
const range = maybe("index", maybe("index", maybe(oneOf(word("bit"), word("BYTE"), word("bits")))));
const fieldType = oneOf(...["u1", "i1", "u8", "i5", "i16", "u63", "i64", "u64", "i65", "u0", "x8"].map(word));
const fieldOffset = oneOf(...["0", "1", "13", "#0", "#3", "-1", "#x"].map(word));
const overflow = [word("overflow"), oneOf(...["wrap", "SAT", "fail", "bad"].map(word))];
const fieldOperation = oneOf(
  [word("get"), fieldType, fieldOffset],
  [word("set"), fieldType, fieldOffset, "integer"],
  [word("incrby"), fieldType, fieldOffset, "integer"],
  [overflow, word("incrby"), fieldType, fieldOffset, "integer"],
  [overflow, word("set"), fieldType, fieldOffset, "integer"],
);

const BITMAPS: readonly Shape[] = [
  shape("setbit", "key", offset, bit),
  shape("getbit", "key", offset),
  shape("bitcount", "key", range),
  shape("bitpos", "key", bit, range),
  shape("bitop", oneOf(...["and", "OR", "xor", "not", "nand"].map(word)), "key", some("key")),
  shape("bitfield", "key", some(fieldOperation, 0, 4)),
  shape("bitfield", "key", some(fieldOperation, 1, 3)),
  shape("bitfield_ro", "key", some([word("get"), fieldType, fieldOffset], 0, 2)),
  shape("bitfield_ro", "key", fieldOperation),
];

const KEYS: readonly Shape[] = [
  shape("del", some("key")),
  shape("unlink", some("key")),
  shape("exists", some("key")),
  shape("touch", some("key")),
  shape("type", "key"),
  { ...shape("keys", "pattern"), compare: "unordered" },
  {
    // At most one key: the order in which several would expire comes from the real server's random seed.
    ...shape(
      "scan",
      word("0"),
      word("match"),
      oneOf(word("a"), word("b"), word("c")),
      maybe(word("type"), oneOf(word("string"), word("hash"), "word")),
      word("count"),
      word("1000"),
    ),
    compare: "unordered",
    isExact: true,
  },
  {
    ...shape("scan", oneOf(word("0"), word("x"), word("00"), word("1x")), oneOf("word", [word("count"), word("-1")])),
    compare: "unordered",
    isExact: true,
  },
  shape("rename", "key", "key"),
  shape("renamenx", "key", "key"),
  shape("copy", "key", "key", maybe(oneOf(word("replace"), [word("db"), "database"]))),
  shape("move", "key", "database"),
  shape("dbsize"),
  shape("object", word("encoding"), "key"),
  shape("object", word("freq"), "key"),
  shape("flushdb", maybe(oneOf(word("sync"), "word"))),
  shape("swapdb", "database", "database"),
  shape("select", "database"),
];

const EXPIRY: readonly Shape[] = [
  shape("expire", "key", "ttl-s", some(condition, 0, 2)),
  shape("pexpire", "key", "ttl-ms", some(condition, 0, 2)),
  shape("pexpire", "key", "ttl-ms"),
  shape("expireat", "key", "at-s", some(condition, 0, 2)),
  shape("pexpireat", "key", "at-ms", some(condition, 0, 2)),
  shape("ttl", "key"),
  shape("pttl", "key"),
  shape("pttl", "key"),
  shape("expiretime", "key"),
  shape("pexpiretime", "key"),
  shape("persist", "key"),
];

const OTHERS: readonly Shape[] = [
  shape("ping", maybe("value")),
  shape("echo", "value"),
  shape("time"),
  shape("multi"),
  shape("exec"),
  shape("exec"),
  shape("discard"),
  shape("watch", some("key")),
  shape("unwatch"),
  shape("nonesuch", some("value", 0, 3)),
  shape("client", oneOf(word("getname"), word("nonesuch"), [word("setname"), "field"], word("getredir"))),
  shape("publish", "key", "value"),
  { ...shape("wait", word("0"), "small"), compare: "shape" },
  { ...shape("hello", oneOf(word("2"), word("3"), word("4"), "word")), compare: "shape" },
  shape("object", "word", "key"),
  shape("reset"),
];

const HASHES: readonly Shape[] = [
  shape("hset", "key", some(["field", "value"])),
  shape("hset", "key", some(["field", "value"])),
  shape("hmset", "key", some(["field", "value"])),
  shape("hsetnx", "key", "field", "value"),
  shape("hget", "key", "field"),
  shape("hmget", "key", some("field")),
  shape("hdel", "key", some("field")),
  shape("hlen", "key"),
  shape("hstrlen", "key", "field"),
  shape("hexists", "key", "field"),
  { ...shape("hkeys", "key"), compare: "unordered" },
  { ...shape("hvals", "key"), compare: "unordered" },
  { ...shape("hgetall", "key"), compare: "unordered" },
  shape("hincrby", "key", "field", "integer"),
  shape("hincrbyfloat", "key", "field", "float"),
  { ...shape("hrandfield", "key", maybe("draw", maybe(word("withvalues")))), compare: "shape" },
  {
    ...shape(
      "hscan",
      "key",
      word("0"),
      maybe(word("match"), "pattern"),
      maybe(word("novalues")),
      maybe(word("count"), "small"),
    ),
    compare: "unordered",
  },
];

const end = oneOf(word("left"), word("right"), "word");
const count = oneOf(word("1"), word("2"), word("7"), word("0"), word("-1"), word("x"));

const fieldList = oneOf(
  [word("fields"), word("1"), "field"],
  [word("fields"), word("2"), "field", "field"],
  [word("fields"), word("3"), "field", "field", "field"],
  [word("fields"), oneOf(word("0"), word("-1"), word("x"), word("2")), "field"],
  ["word", word("1"), "field"],
);
const pairList = oneOf(
  [word("fields"), word("1"), "field", "value"],
  [word("fields"), word("2"), "field", "value", "field", "value"],
  [word("fields"), oneOf(word("0"), word("x"), word("2")), "field", "value"],
);

/** Fields that expire, which 7.0 does not have: there these are unknown commands. */
const HASH_FIELDS: readonly Shape[] = [
  shape("hexpire", "key", "ttl-s", maybe(condition), fieldList),
  shape("hpexpire", "key", "ttl-ms", maybe(condition), fieldList),
  shape("hpexpire", "key", "ttl-ms", fieldList),
  shape("hexpireat", "key", "at-s", maybe(condition), fieldList),
  shape("hpexpireat", "key", "at-ms", maybe(condition), fieldList),
  shape("httl", "key", fieldList),
  shape("hpttl", "key", fieldList),
  shape("hexpiretime", "key", fieldList),
  shape("hpexpiretime", "key", fieldList),
  shape("hpersist", "key", fieldList),
  shape("hgetdel", "key", fieldList),
  shape("hgetex", "key", maybe(oneOf(word("persist"), expiryOption)), fieldList),
  shape(
    "hsetex",
    "key",
    maybe(oneOf(word("fnx"), word("fxx"), "word")),
    maybe(oneOf(word("keepttl"), expiryOption)),
    pairList,
  ),
];

const LISTS: readonly Shape[] = [
  shape("lpush", "key", some("member")),
  shape("rpush", "key", some("member")),
  shape("lpushx", "key", some("member")),
  shape("rpushx", "key", some("member")),
  shape("lpop", "key", maybe("small")),
  shape("rpop", "key", maybe("small")),
  shape("llen", "key"),
  shape("lindex", "key", "index"),
  shape("lrange", "key", "index", "index"),
  shape("lset", "key", "index", "member"),
  shape("lrem", "key", "index", "member"),
  shape("ltrim", "key", "index", "index"),
  shape("linsert", "key", oneOf(word("before"), word("after"), "word"), "member", "member"),
  shape("rpoplpush", "key", "key"),
  shape(
    "lmpop",
    oneOf(word("1"), word("2"), word("0"), word("x")),
    some("key", 1, 2),
    end,
    maybe(word("count"), count),
  ),
  shape("lmove", "key", "key", oneOf(word("left"), word("right")), oneOf(word("left"), word("right"), "word")),
];

const SETS: readonly Shape[] = [
  shape("sadd", "key", some("member")),
  shape("sadd", "key", some("member", 1, 6)),
  shape("srem", "key", some("member")),
  shape("scard", "key"),
  shape("sismember", "key", "member"),
  shape("smismember", "key", some("member")),
  { ...shape("smembers", "key"), compare: "unordered" },
  shape("smove", "key", "key", "member"),
  { ...shape("spop", "key", word("100")), compare: "unordered" },
  shape("spop", "key", oneOf(word("0"), word("-1"), word("x"))),
  { ...shape("srandmember", "key", maybe("draw")), compare: "shape" },
  { ...shape("sscan", "key", word("0"), maybe(word("match"), "pattern")), compare: "unordered" },
  { ...shape("sinter", some("key")), compare: "unordered" },
  { ...shape("sunion", some("key")), compare: "unordered" },
  { ...shape("sdiff", some("key")), compare: "unordered" },
  shape("sinterstore", "key", some("key")),
  shape("sunionstore", "key", some("key")),
  shape("sdiffstore", "key", some("key")),
  shape("sintercard", oneOf(word("1"), word("2"), "integer"), some("key", 1, 2), maybe(word("limit"), "small")),
];

const scoreBound = oneOf("score", "score", oneOf(word("(1"), word("(-inf"), word("-inf"), word("+inf"), word("(2.5")));
const limit = [word("limit"), "index", "index"] as const;

const weights = [word("weights"), "score", "score"] as const;
const aggregate = [word("aggregate"), oneOf(word("sum"), word("min"), word("MAX"), "word")] as const;
const keyCount = oneOf(word("1"), word("2"), word("0"), "integer");
const combiningOption = oneOf(weights, aggregate, word("withscores"), [word("limit"), "small"]);

const SORTED_SETS: readonly Shape[] = [
  shape(
    "zadd",
    "key",
    some(oneOf(word("nx"), word("xx"), word("gt"), word("lt"), word("ch"), word("incr")), 0, 2),
    some(["score", "member"]),
  ),
  shape("zadd", "key", some(["score", "member"])),
  shape("zincrby", "key", "score", "member"),
  shape("zrem", "key", some("member")),
  shape("zcard", "key"),
  shape("zscore", "key", "member"),
  shape("zmscore", "key", some("member")),
  shape("zcount", "key", scoreBound, scoreBound),
  shape("zlexcount", "key", "lex", "lex"),
  shape("zrange", "key", "index", "index", maybe(word("rev")), maybe(word("withscores"))),
  shape(
    "zrange",
    "key",
    scoreBound,
    scoreBound,
    word("byscore"),
    maybe(word("rev")),
    maybe(limit),
    maybe(word("withscores")),
  ),
  shape("zrange", "key", "lex", "lex", word("bylex"), maybe(word("rev")), maybe(limit)),
  shape(
    "zrange",
    "key",
    "index",
    "index",
    some(oneOf(word("rev"), word("bylex"), word("byscore"), limit, word("withscores")), 0, 3),
  ),
  shape("zrevrange", "key", "index", "index", maybe(word("withscores"))),
  shape("zrangebyscore", "key", scoreBound, scoreBound, maybe(word("withscores")), maybe(limit)),
  shape("zrevrangebyscore", "key", scoreBound, scoreBound, maybe(word("withscores")), maybe(limit)),
  shape("zrangebylex", "key", "lex", "lex", maybe(limit)),
  shape("zrevrangebylex", "key", "lex", "lex", maybe(limit)),
  shape("zremrangebyscore", "key", scoreBound, scoreBound),
  shape("zremrangebyrank", "key", "index", "index"),
  shape("zremrangebylex", "key", "lex", "lex"),
  shape("zpopmin", "key", maybe("small")),
  shape("zpopmax", "key", maybe("small")),
  shape(
    "zmpop",
    oneOf(word("1"), word("2"), word("0"), word("x")),
    some("key", 1, 2),
    oneOf(word("min"), word("max"), "word"),
    maybe(word("count"), count),
  ),
  ...["zunionstore", "zinterstore"].map((name) =>
    shape(name, "key", word("2"), "key", "key", maybe(weights), maybe(aggregate)),
  ),
  shape("zdiffstore", "key", word("2"), "key", "key"),
  ...["zunionstore", "zinterstore", "zdiffstore"].map((name) =>
    shape(name, "key", keyCount, some("key"), some(combiningOption, 0, 2)),
  ),
  ...["zunion", "zinter", "zdiff", "zintercard"].map((name) =>
    shape(name, keyCount, some("key"), some(combiningOption, 0, 2)),
  ),
  shape("zrangestore", "key", "key", "index", "index", maybe(word("rev"))),
  shape("zrangestore", "key", "key", scoreBound, scoreBound, word("byscore"), maybe(word("rev")), maybe(limit)),
  shape("zrangestore", "key", "key", "lex", "lex", word("bylex"), maybe(limit), maybe(word("withscores"))),
  shape("zrank", "key", "member", maybe(word("withscore"))),
  shape("zrevrank", "key", "member", maybe(word("withscore"))),
  { ...shape("zrandmember", "key", maybe("draw", maybe(word("withscores")))), compare: "shape" },
  shape("zscan", "key", word("0"), maybe(word("match"), "pattern")),
];

/** The source of the random test's commands. */
export const COMMAND_SHAPES: readonly Shape[] = [
  ...STRINGS,
  ...BITMAPS,
  ...KEYS,
  ...EXPIRY,
  ...HASHES,
  ...HASH_FIELDS,
  ...LISTS,
  ...SETS,
  ...SORTED_SETS,
  ...STREAMS,
  ...CONSUMER_GROUPS,
  ...OTHERS,
];
