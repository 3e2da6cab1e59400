import { maybe, oneOf, shape, some, word, type Shape } from "./shape.ts";

const trimOption = [
  oneOf(word("maxlen"), word("minid")),
  maybe(oneOf(word("="), word("~"))),
  oneOf("small", "stream-id"),
  maybe(word("limit"), "small"),
] as const;

export const STREAMS: readonly Shape[] = [
  shape("xadd", "key", word("*"), some(["field", "value"])),
  shape("xadd", "key", maybe(word("nomkstream")), maybe(trimOption), "stream-id", some(["field", "value"])),
  shape("xadd", "key", "stream-id", some(["field", "value"])),
  shape("xlen", "key"),
  shape("xrange", "key", "stream-id", "stream-id", maybe(word("count"), "index")),
  shape("xrange", "key", word("-"), word("+")),
  shape("xrevrange", "key", "stream-id", "stream-id", maybe(word("count"), "index")),
  shape("xread", maybe(word("count"), "index"), word("streams"), "key", "stream-id"),
  shape("xread", word("streams"), "key", "key", "stream-id", "stream-id"),
  shape("xdel", "key", some("stream-id")),
  shape("xtrim", "key", trimOption),
];

const group = oneOf(word("g1"), word("g1"), word("g2"));
const consumer = oneOf(word("alice"), word("alice"), word("bob"));
const newId = oneOf(word(">"), word(">"), "stream-id");
const idle = oneOf(word("0"), word("0"), "small", "integer");

export const CONSUMER_GROUPS: readonly Shape[] = [
  shape("xgroup", word("create"), "key", group, oneOf(word("0"), word("$"), "stream-id"), word("mkstream")),
  shape(
    "xgroup",
    word("create"),
    "key",
    group,
    "stream-id",
    some(oneOf(word("mkstream"), [word("entriesread"), "integer"], "word"), 0, 2),
  ),
  shape("xgroup", word("setid"), "key", group, "stream-id", maybe(word("entriesread"), oneOf("small", "integer"))),
  shape("xgroup", oneOf(word("destroy"), word("wrong")), "key", group),
  shape("xgroup", oneOf(word("createconsumer"), word("delconsumer")), "key", group, consumer),
  shape("xreadgroup", word("group"), group, consumer, word("streams"), "key", word(">")),
  shape(
    "xreadgroup",
    word("group"),
    group,
    consumer,
    some(oneOf([word("count"), "small"], word("noack"), [word("block"), "word"]), 0, 2),
    word("streams"),
    some("key", 1, 2),
    some(newId, 1, 2),
  ),
  shape("xack", "key", group, some("stream-id")),
  shape("xpending", "key", group),
  shape(
    "xpending",
    "key",
    group,
    maybe(word("idle"), idle),
    oneOf(word("-"), "stream-id"),
    oneOf(word("+"), "stream-id"),
    "index",
    maybe(consumer),
  ),
  shape(
    "xclaim",
    "key",
    group,
    consumer,
    idle,
    some("stream-id"),
    some(
      oneOf(
        word("force"),
        word("justid"),
        [word("idle"), "integer"],
        [word("time"), "at-ms"],
        [word("retrycount"), "integer"],
        [word("lastid"), "stream-id"],
        "word",
      ),
      0,
      3,
    ),
  ),
  shape(
    "xautoclaim",
    "key",
    group,
    consumer,
    idle,
    "stream-id",
    some(oneOf([word("count"), "small"], word("justid"), "word"), 0, 2),
  ),
  shape("xinfo", word("groups"), "key"),
  shape("xinfo", word("consumers"), "key", group),
  shape("xinfo", word("stream"), "key", maybe(word("full"), maybe(word("count"), "small"))),
  shape(
    "xsetid",
    "key",
    "stream-id",
    some(oneOf([word("entriesadded"), "integer"], [word("maxdeletedid"), "stream-id"]), 0, 2),
  ),
];
