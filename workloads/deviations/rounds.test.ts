import { expect, test } from "vitest";
import type { WireMessage } from "../../harness/core/messages/wire-message.ts";
import { fewestOf, isDecisive } from "./rounds.ts";

/** What a client asks five servers at once, and what each answers; `lost`: nothing. */
function roundOf(replies: readonly string[], sentNs = 0): readonly WireMessage[] {
  return replies.map((reply, index): WireMessage => {
    const server = `node-${index}`;
    const told = reply === "lost" ? {} : { reply, repliedNs: sentNs + 1000 };
    return {
      client: 0,
      server,
      command: "SET",
      keys: ["k1"],
      count: 1,
      connection: server,
      operation: 3,
      sentNs,
      ...told,
    };
  });
}

test.each([
  [["1", "1", "1", "1", "1"], []],
  [["1", "1", "8", "1", "1"], [2]],
  [["1", "1", "1", "1", "lost"], [4]],
  [
    ["1", "1", "1", "0", "0"],
    [0, 1, 2, 3, 4],
  ],
  [["1"], [0]],
])("of the answers %j those at %j may decide", (replies, decisive) => {
  const round = roundOf(replies);
  expect([...round.keys()].filter((index) => isDecisive(round[index] as WireMessage, round))).toEqual(decisive);
});

test("an answer of another try is none of the round", () => {
  const first = roundOf(["0", "0", "0", "0", "0"]);
  const second = roundOf(["1", "1", "1", "1", "1"], 5000);
  expect([...first, ...second].filter((message) => isDecisive(message, [...first, ...second]))).toEqual([]);
});

test.each([
  [["1", "1", "1", "1", "1"], []],
  [
    ["1", "1", "1", "1", "lost"],
    ["node-0", "node-1"],
  ],
  [["0", "1", "1", "1", "lost"], ["node-1"]],
  [["1", "1", "1"], ["node-0"]],
  [["1", "1", "0", "0", "lost"], []],
])("of five servers that answer %j the majority rests on %j", (replies, expected) => {
  const round = roundOf(replies);
  expect(fewestOf(round[0] as WireMessage, round, 5)).toEqual(expected);
});
