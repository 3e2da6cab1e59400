import { expect, test } from "vitest";
import type { SentinelEnvironment, WireHandler } from "./environment.ts";
import { OutgoingConnection } from "./outgoing-connection.ts";
import type { ReceivedReply } from "./reply-parser.ts";

/** A connection over a wire whose other end the test holds. */
function connect(): {
  readonly connection: OutgoingConnection;
  readonly peer: WireHandler;
  readonly log: string[];
  readonly on: (name: string) => (reply: ReceivedReply) => void;
} {
  const log: string[] = [];
  let peer: WireHandler | undefined;
  const unused = (): never => {
    throw new Error("not to be used here");
  };
  const environment: SentinelEnvironment = {
    host: "10.0.0.9",
    nowMs: unused,
    randomBelow: unused,
    announce: unused,
    save: unused,
    crash: unused,
    wrote: () => {},
    dial: (address, handler) => {
      log.push(`dial ${address.host}:${address.port}`);
      peer = handler;
      return { write: (text) => log.push(`write ${text}`), close: () => log.push("close") };
    },
  };
  const connection = new OutgoingConnection(environment, { host: "10.0.0.1", port: 6379 }, () => log.push("gone"));
  if (peer === undefined) throw new Error("not dialled");
  const on = (name: string) => (reply: ReceivedReply) => void log.push(`${name} ${JSON.stringify(reply)}`);
  return { connection, peer, log, on };
}

test("what was sent before it is open leaves together when it is, and replies come in order, in any portions", () => {
  const { connection, peer, log, on } = connect();
  connection.send(["A"], on("a"));
  connection.send(["B"], on("b"));
  connection.flush();
  peer.onOpen();
  connection.flush();
  for (const portion of ["+OK", "\r\n*2\r\n:1\r\n$", "2\r\nxy\r\n-ERR no\r\n"]) peer.onText(portion);
  expect(log).toEqual([
    "dial 10.0.0.1:6379",
    "write *1\r\n$1\r\nA\r\n*1\r\n$1\r\nB\r\n",
    'a {"type":"status","text":"OK"}',
    'b {"type":"array","items":[{"type":"integer","value":1},{"type":"bulk","text":"xy"}]}',
  ]);
});

test("on a subscription arrays are messages, other replies belong to commands", () => {
  const { connection, peer, log, on } = connect();
  connection.send(["CLIENT"], on("reply"));
  connection.subscribe("channel", on("message"));
  peer.onOpen();
  peer.onText("+OK\r\n*1\r\n$-1\r\n");
  expect(log.slice(2)).toEqual([
    'reply {"type":"status","text":"OK"}',
    'message {"type":"array","items":[{"type":"null"}]}',
  ]);
});

test("once it is closed nothing is heard or sent, not even what has come in the same bytes", () => {
  const { connection, peer, log, on } = connect();
  peer.onOpen();
  connection.send(["A"], () => connection.close());
  connection.send(["B"], on("b"));
  peer.onText("+OK\r\n+OK\r\n");
  connection.send(["C"], on("c"));
  connection.flush();
  connection.close();
  expect(log).toEqual(["dial 10.0.0.1:6379", "close"]);
});

test("bytes that are no reply end it", () => {
  const { peer, log } = connect();
  peer.onOpen();
  peer.onText("HTTP/1.1 400\r\n");
  expect(log.slice(1)).toEqual(["close", "gone"]);
});
