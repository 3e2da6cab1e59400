import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, hintFor, mostAlike } from "./did-you-mean.ts";

const WORDS = ["single", "sentinel", "redlock", "redlock-fsync", "failover", "kill-node", "reset", "redis7", "redis8"];

test.each([
  ["sngle", "single"],
  ["Single", "single"],
  ["sentinal", "sentinel"],
  ["redlcok", "redlock"],
  ["failo", "failover"],
  ["kill_node", "kill-node"],
  ["rest", "reset"],
])("%s may mean %s", (word, meant) => {
  expect(mostAlike(word, WORDS)).toBe(meant);
});

test.each(["", "x", "on", "postgres", "zookeeper", "frob", "redis2"])("%j means nothing here", (word) => {
  expect(mostAlike(word, WORDS)).toBeUndefined();
});

test("of many words a hint names the few that begin as what was typed, but for a slip", () => {
  const others = Array.from({ length: 21 }, (_, index) => `word-number-${index}`);
  const words = ["fenced", "fence-block", "fencing-tokens", "fencing token", ...others];
  const options = { elsewhere: "see lockstorm explain" };
  expect(hintFor("fenceing", words, options)).toBe("did you mean fencing-tokens or fencing token?");
  expect(hintFor("fenceing", ["fencing-tokens", "single"], options)).toBe("choose one of fencing-tokens, single");
  expect(hintFor("fe", words, options)).toBe("see lockstorm explain");
  expect(hintFor("word-numbr", words, options)).toBe("see lockstorm explain");
});

test("a hint names the word that is meant, else the words while they are few, else where they are", () => {
  const many = Array.from({ length: 21 }, (_, index) => `word-number-${index}`);
  const options = { elsewhere: "see lockstorm explain" };
  expect(hintFor("sngle", WORDS, options)).toBe("did you mean single?");
  expect(hintFor("frob", ["single", "redlock"], options)).toBe("choose one of single, redlock");
  expect(hintFor("frob", many, options)).toBe("see lockstorm explain");
});

/** The definition, word for word: exponential, for short words. */
function byDefinition(one: string, other: string): number {
  if (one === "" || other === "") return one.length + other.length;
  const [a, b] = [one.at(-1), other.at(-1)];
  const shorter = [
    byDefinition(one.slice(0, -1), other) + 1,
    byDefinition(one, other.slice(0, -1)) + 1,
    byDefinition(one.slice(0, -1), other.slice(0, -1)) + (a === b ? 0 : 1),
  ];
  const isSwap = one.length > 1 && other.length > 1 && a === other.at(-2) && one.at(-2) === b;
  if (isSwap) shorter.push(byDefinition(one.slice(0, -2), other.slice(0, -2)) + 1);
  return Math.min(...shorter);
}

test("the distance is what its definition says", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 5 });
  fc.assert(fc.property(word, word, (one, other) => editDistance(one, other) === byDefinition(one, other)));
});
