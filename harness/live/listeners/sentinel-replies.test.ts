import { describe, expect, test } from "vitest";
import { SentinelReplies } from "./sentinel-replies.ts";

const places = new Map([
  ["10.213.0.10:6379", { host: "127.0.0.1", port: 40_001 }],
  ["10.213.0.1:6379", { host: "127.0.0.1", port: 40_002 }],
]);

function passed(text: string): string {
  return new SentinelReplies(places).pass(Buffer.from(text, "latin1")).toString("latin1");
}

describe("what a Sentinel says", () => {
  test.each([
    [
      "the address of the master",
      "*2\r\n$11\r\n10.213.0.10\r\n$4\r\n6379\r\n",
      "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n40001\r\n",
    ],
    [
      "fields, in version 3 of the protocol",
      "%3\r\n$4\r\nname\r\n$16\r\n10.213.0.10:6379\r\n$2\r\nip\r\n$11\r\n10.213.0.10\r\n$4\r\nport\r\n$4\r\n6379\r\n",
      "%3\r\n$4\r\nname\r\n$15\r\n127.0.0.1:40001\r\n$2\r\nip\r\n$9\r\n127.0.0.1\r\n$4\r\nport\r\n$5\r\n40001\r\n",
    ],
    [
      "a message of a channel, as a push",
      ">3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$40\r\nm 10.213.0.1 6379 10.213.0.10 6379 extra\r\n",
      ">3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$39\r\nm 127.0.0.1 40002 127.0.0.1 40001 extra\r\n",
    ],
    ["another address", "*2\r\n$9\r\n10.9.0.10\r\n$4\r\n6379\r\n", "*2\r\n$9\r\n10.9.0.10\r\n$4\r\n6379\r\n"],
    ["another port", "*2\r\n$11\r\n10.213.0.10\r\n$5\r\n26379\r\n", "*2\r\n$11\r\n10.213.0.10\r\n$5\r\n26379\r\n"],
    ["no address", "+PONG\r\n:7\r\n*-1\r\n$-1\r\n$0\r\n\r\n", "+PONG\r\n:7\r\n*-1\r\n$-1\r\n$0\r\n\r\n"],
  ])("%s", (_, said, heard) => {
    expect(passed(said)).toBe(heard);
  });

  test("is translated in any portions", () => {
    const said = "*2\r\n$11\r\n10.213.0.10\r\n$4\r\n6379\r\n+PONG\r\n";
    const replies = new SentinelReplies(places);
    const heard = said.split("").map((letter) => replies.pass(Buffer.from(letter)).toString("latin1"));
    expect(heard.join("")).toBe(passed(said));
  });
});
