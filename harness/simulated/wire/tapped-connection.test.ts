import { beforeEach, expect, test } from "vitest";
import { randomStream } from "../../core/random.ts";
import type { MessageMoment } from "../../core/trigger.ts";
import { Kernel } from "../kernel/kernel.ts";
import { encodeCommand, toBytes } from "../redis/protocol/resp-encoder.ts";
import { createServer, type RedisServer } from "../redis/server.ts";
import type { Session } from "../redis/session.ts";
import type { Exchange } from "./exchange.ts";
import { TappedConnection } from "./tapped-connection.ts";

let server: RedisServer;
let session: Session;
/** What happened: commands at their moments, and `|` where the server sent a segment. */
let log: string[];
/** The replies that ended in each segment from the server. */
let answered: (readonly string[])[];
let tap: TappedConnection;

beforeEach(() => {
  const kernel = new Kernel({ seed: 1 });
  const client = { host: kernel.host("client-0", { runs: "service" }), operation: undefined };
  log = [];
  answered = [];
  tap = new TappedConnection(
    {
      sends: (message) => ({ ...message, client: 0, operation: undefined, counts: true, sentNs: 0 }),
      sent: () => {},
      at: (moment: MessageMoment, exchanges: readonly Exchange[]) => {
        log.push(...exchanges.map(({ command, keys }) => [moment, command, ...keys].join(" ")));
        return false;
      },
      now: () => 0,
    },
    client,
    kernel.host("node-0", { runs: "service" }),
    "client-0>node-0#1",
  );
  server = createServer({ nowUs: () => 0, random: randomStream(1, "server") });
  session = server.connect({
    observer: tap,
    onOutput: (bytes) => {
      log.push("|");
      answered.push((tap.reply(bytes) as readonly Exchange[]).map(({ command }) => command));
    },
  });
});

/** Sends commands in one segment. */
function send(...lines: readonly string[]): void {
  sendBytes(toBytes(lines.map((line) => encodeCommand(line.split(" "))).join("")));
}

function sendBytes(bytes: Uint8Array): void {
  tap.request(bytes, (requests) => {
    tap.requestsArrive(requests, () => {});
    return true;
  });
  session.receive(bytes);
}

/** Another connection, which is not followed. */
function elsewhere(line: string): void {
  server.connect({ onOutput: () => {} }).receive(toBytes(encodeCommand(line.split(" "))));
}

test("each of several commands in one segment counts, and all are applied before a reply leaves", () => {
  send("MULTI", "SET a 1", "EXEC", "get a");
  expect(log).toEqual([
    ...["send MULTI", "send SET a", "send EXEC", "send GET a"],
    ...["before MULTI", "before SET a", "before EXEC", "before GET a"],
    ...["after MULTI", "after SET a", "after EXEC", "after GET a", "|"],
  ]);
  expect(answered).toEqual([["MULTI", "SET", "EXEC", "GET"]]);
});

test("a command in several segments counts with the segment in which it ends", () => {
  const bytes = toBytes(encodeCommand(["SET", "a", "1"]));
  sendBytes(bytes.subarray(0, 9));
  expect(log).toEqual([]);
  sendBytes(bytes.subarray(9));
  expect(log).toEqual(["send SET a", "before SET a", "after SET a", "|"]);
});

test("a blocked command is applied when it is served, and what follows it after that", () => {
  send("BLPOP q 0", "PING");
  expect(log.filter((line) => line.startsWith("after"))).toEqual([]);
  elsewhere("RPUSH q 1");
  expect(log.filter((line) => line.startsWith("after"))).toEqual(["after BLPOP q", "after PING"]);
  expect(answered.flat()).toEqual(["BLPOP", "PING"]);
});

test("messages of channels are no replies, in either protocol", () => {
  send("SUBSCRIBE c");
  elsewhere("PUBLISH c one");
  send("PING");
  expect(answered).toEqual([["SUBSCRIBE"], [], ["PING"]]);
  send("RESET", "HELLO 3", "SUBSCRIBE c d", "BLPOP q 0");
  elsewhere("PUBLISH d two");
  elsewhere("RPUSH q 1");
  expect(answered.slice(3)).toEqual([["RESET", "HELLO", "SUBSCRIBE"], [], ["BLPOP"]]);
});

test("a command without a reply gets none, and the next one gets its own", () => {
  send("CLIENT REPLY SKIP", "SET a 1", "GET a");
  expect(answered).toEqual([["GET"]]);
});

test("keys are those of the command, of a script too, in UTF-8", () => {
  send("EVAL return 2 a b c".replace("return", "return(1)"), "MSET x 1 y 2", "PING");
  sendBytes(Buffer.from("*2\r\n$3\r\nGET\r\n$3\r\n\u20ac\r\n"));
  expect(log.filter((line) => line.startsWith("before"))).toEqual([
    "before EVAL a b",
    "before MSET x y",
    "before PING",
    "before GET \u20ac",
  ]);
});

test("what is no command ends what can be followed, without an error", () => {
  send("PING");
  sendBytes(Buffer.from("*1\r\n+PING\r\n"));
  sendBytes(Buffer.from("PING\r\n"));
  expect(answered[0]).toEqual(["PING"]);
  expect(answered.slice(1).flat()).toEqual([]);
});
