import { expect, test } from "vitest";
import { fieldGivenTwice } from "./given-twice.ts";

const twiceIn = (text: string): string | undefined => fieldGivenTwice(text, JSON.parse(text));

test.each([
  ['{"a":1,"a":2}', "a"],
  ['{"a" : 1, "b":2, "a"\t:\n1}', "a"],
  ['{"a":{"b":1},"c":[{"d":1,"d":1}]}', "d"],
  ['{"a":1,"\\u0061":2}', "a"],
  ['{"":1,"":2}', ""],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ['{"a\\"b":1,"x":"\\\\","a\\"b":2}', 'a"b'],
  ['{"v":{"a":1},"v":{"b":2}}', "v"],
])("%s gives a field twice", (text, field) => {
  expect(twiceIn(text)).toBe(field);
});

test.each([
  "{}",
  "[]",
  "1",
  "null",
  '"\\":"',
  '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}',
  '{"a":"\\"a\\":1","b":"\\":\\":"}',
  '["a","a",{"a":"a"}]',
  '{"constructor":1,"__proto__":2}',
])("%s gives no field twice", (text) => {
  expect(twiceIn(text)).toBeUndefined();
});

test("JSON may be nested more deeply than functions can call each other", () => {
  const deep = `${"[".repeat(200_000)}{"a":"\\":"}${"]".repeat(200_000)}`;
  expect(twiceIn(deep)).toBeUndefined();
  expect(twiceIn(deep.replace('"a"', '"a":1,"a"'))).toBe("a");
});
