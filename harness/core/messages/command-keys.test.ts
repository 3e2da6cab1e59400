import { expect, test } from "vitest";
import { keysOf, type KeyPositions } from "./command-keys.ts";

test.each<[string, KeyPositions, readonly string[]]>([
  ["SET k v NX", [1, 1, 1], ["k"]],
  ["DEL a b c", [1, -1, 1], ["a", "b", "c"]],
  ["MSET a 1 b 2", [1, -1, 2], ["a", "b"]],
  ["BLPOP a b 5", [1, -2, 1], ["a", "b"]],
  ["PING", [0, 0, 0], []],
  ["evalsha 0123 2 a b c", [0, 0, 0], ["a", "b"]],
  ["FCALL f 1 a b", [0, 0, 0], ["a"]],
  ["EVAL script many a", [0, 0, 0], []],
  ["ZUNIONSTORE to 2 a b WEIGHTS 1 2", [1, 1, 1], ["to", "a", "b"]],
  ["XREADGROUP GROUP g c STREAMS s t > 0", [0, 0, 0], ["s", "t"]],
])("%s", (line, positions, keys) => {
  expect(keysOf(line.split(" "), positions)).toEqual(keys);
});
