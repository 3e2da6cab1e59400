import { expect, test } from "vitest";
import { replyWords } from "./reply-words.ts";

test.each([
  ["+OK\r\n", "OK"],
  ["-NOSCRIPT No matching script\r\n", "NOSCRIPT No matching script"],
  [":1\r\n", "1"],
  ["$-1\r\n", "nil"],
  ["_\r\n", "nil"],
  ["$5\r\nowner\r\n", "owner"],
  ["$3\r\n\u00e2\u0082\u00ac\r\n", "\u20ac"],
  ["*2\r\n:1\r\n:2\r\n", "2 items"],
  ["*-1\r\n", "nil"],
  ["#t\r\n", "true"],
  [`$200\r\n${"x".repeat(200)}\r\n`, `${"x".repeat(79)}…`],
  ["", ""],
])("%j", (bytes, words) => {
  expect(replyWords(bytes)).toBe(words);
});
