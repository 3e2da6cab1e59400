import { expect, test } from "vitest";
import { Exchanges } from "./exchanges.ts";
import { ReplyReader } from "./reply-reader.ts";
import { RequestReader } from "./request-reader.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "utf8");
const array = (...words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;

/** What a reader makes of a text, whole and byte by byte. */
function read<T extends { readonly bytes: Buffer }>(
  make: () => { push(bytes: Uint8Array): readonly T[] },
  text: string,
) {
  const whole = make().push(bytes(text));
  const reader = make();
  const single = [...bytes(text)].flatMap((byte) => reader.push(Uint8Array.of(byte)));
  expect(single).toEqual(whole);
  expect(Buffer.concat(whole.map((frame) => frame.bytes)).toString("utf8")).toBe(text);
  return whole;
}

test("commands are cut out of a pipeline, with keys of any bytes, and inline commands too", () => {
  const text = `${array("SET", "k", "ü\r\n*1")}PING now\r\n\r\n${array("EXEC")}${array()}`;
  expect(read(() => new RequestReader(), text).map(({ argv }) => argv)).toEqual([
    ["SET", "k", "ü\r\n*1"],
    ["PING", "now"],
    [],
    ["EXEC"],
    [],
  ]);
});

test("an incomplete command waits, and one against the protocol passes without words", () => {
  expect(new RequestReader().push(bytes("*2\r\n$3\r\nGET\r\n$1\r\n"))).toEqual([]);
  expect(new RequestReader().push(bytes("*x\r\nrest")).map(({ argv }) => argv)).toEqual([[]]);
});

test.each([
  ["simple values", "+OK\r\n-ERR no\r\n:1\r\n_\r\n#t\r\n,1.5\r\n(12\r\n", 7],
  ["bulks", "$3\r\na\r\n\r\n$-1\r\n$0\r\n\r\n=7\r\ntxt:abc\r\n!3\r\nERR\r\n", 5],
  ["aggregates", "*2\r\n*1\r\n:1\r\n$1\r\na\r\n*-1\r\n*0\r\n%1\r\n+k\r\n*1\r\n:2\r\n~1\r\n:1\r\n", 5],
  ["a value with attributes", "|1\r\n+ttl\r\n:5\r\n$1\r\na\r\n+OK\r\n", 2],
  ["pushes", ">2\r\n+invalidate\r\n*0\r\n+OK\r\n", 2],
])("replies: %s", (_, text, count) => {
  expect(read(() => new ReplyReader(), text)).toHaveLength(count);
});

/** The commands that replies answer; a dash for a value that answers none. */
function answers(commands: readonly string[], text: string): readonly string[] {
  const exchanges = new Exchanges<string>();
  for (const command of commands) exchanges.sent(command.split(" "), command);
  return new ReplyReader().push(bytes(text)).map((frame) => exchanges.answered(frame) ?? "-");
}

test("replies belong to commands in their order, those of a transaction and blocked ones too", () => {
  const commands = ["HELLO 3", "MULTI", "SET k v", "EXEC", "BLPOP q 0", "GET k"];
  const text = `%1\r\n+proto\r\n:3\r\n+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n*2\r\n+q\r\n+v\r\n+v\r\n`;
  expect(answers(commands, text)).toEqual(commands);
});

test("messages of channels and pushes answer nothing, and a subscription is answered by its last confirmation", () => {
  const confirm = (type: string, channel: string) => `${type}3\r\n$9\r\nsubscribe\r\n$1\r\n${channel}\r\n:1\r\n`;
  const message = (type: string) => `${type}3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n`;
  const two = confirm("*", "a") + message("*") + confirm("*", "b") + "+PONG\r\n";
  expect(answers(["SUBSCRIBE a b", "PING"], two)).toEqual(["-", "-", "SUBSCRIBE a b", "PING"]);
  const three = message(">") + confirm(">", "a") + message(">") + "+PONG\r\n";
  expect(answers(["SUBSCRIBE a", "PING"], three)).toEqual(["-", "SUBSCRIBE a", "-", "PING"]);
  expect(answers(["SUBSCRIBE a b", "PING"], "-NOPERM\r\n+PONG\r\n")).toEqual(["SUBSCRIBE a b", "PING"]);
});

test("an array that only begins like a message is a reply where nothing is subscribed", () => {
  expect(answers(["LRANGE k 0 -1"], "*1\r\n$7\r\nmessage\r\n")).toEqual(["LRANGE k 0 -1"]);
});

test("where replies no longer follow commands one by one, none is known", () => {
  expect(answers(["CLIENT REPLY OFF", "GET a"], "$1\r\na\r\n")).toEqual(["-"]);
});
