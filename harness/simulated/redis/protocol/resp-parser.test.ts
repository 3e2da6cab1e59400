import { expect, test } from "vitest";
import { RequestParser, type Request } from "./resp-parser.ts";

const STREAM = `*2\r\n$3\r\nget\r\n$1\r\nk\r\n*0\r\nping  "a\\x00b" 'c d'\r\n*1\r\n$0\r\n\r\n*2\r\n$4\r\necho\r\n$4\r\n\r\n\0\xff\r\n`;
const REQUESTS: readonly Request[] = [["get", "k"], [], ["ping", "a\0b", "c d"], [""], ["echo", "\r\n\0\xff"]];

function parseAll(...pieces: readonly string[]): Request[] {
  const parser = new RequestParser();
  const found: Request[] = [];
  for (const piece of pieces) {
    parser.push(piece);
    for (let request = parser.next(true); request !== undefined; request = parser.next(true)) {
      found.push(request);
      // After a protocol error the parser must not be asked again.
      if ("protocolError" in request) return found;
    }
  }
  return found;
}

test("requests come out the same however the stream is cut in two", () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1) {
    expect(parseAll(STREAM.slice(0, cut), STREAM.slice(cut))).toEqual(REQUESTS);
  }
});

test("requests come out byte by byte", () => {
  expect(parseAll(...STREAM.split(""))).toEqual(REQUESTS);
});

test.each([
  ["*x\r\n", "invalid multibulk length"],
  ["*2147483648\r\n", "invalid multibulk length"],
  ["*1\r\n:1\r\n", "expected '$', got ':'"],
  ["*1\r\n$-1\r\n", "invalid bulk length"],
  ["*1\r\n$536870913\r\n", "invalid bulk length"],
  ['get "k\r\n', "unbalanced quotes in request"],
  ["x".repeat(70_000), "too big inline request"],
  [`*${"1".repeat(70_000)}`, "too big mbulk count string"],
])("%j breaks the protocol", (bytes, protocolError) => {
  expect(parseAll(bytes)[0]).toEqual({ protocolError });
});

test("before the password only short requests are taken", () => {
  const parser = new RequestParser();
  parser.push("*11\r\n");
  expect(parser.next(false)).toEqual({ protocolError: "unauthenticated multibulk length" });
});
