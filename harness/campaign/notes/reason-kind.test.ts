import { expect, test } from "vitest";
import { reasonKind } from "./reason-kind.ts";

test.each([
  [
    "acquire of client-1 at 3 ms (event 7): `fence` is not a whole number below 2^53",
    "acquire of client at N ms (event N): `fence` is not a whole number below 2^53",
  ],
  [
    "pause-client of client-0 at 100 ms (event 6) was not seen to take effect: client-0 answered after 3 ms",
    "pause-client was not seen to take effect",
  ],
  [
    "partition of client-1, node-0 and node-2 at 1,012.3 ms (event 61) was skipped: its trigger never came",
    "partition was skipped: its trigger never came",
  ],
  [
    "reset at 78.8 ms (event 8) was skipped: the 22nd SET of client-1 at node-0 never reached it",
    "reset was skipped: the k-th SET of client at node never reached it",
  ],
  [
    'stall at 1 ms (event 3) was skipped: the first message for "k1" was never answered',
    'stall was skipped: the k-th message for "…" was never answered',
  ],
  [
    "the run reached its time limit at 30,000 ms, with 999 of 1,000 critical sections done, and no fault explains it",
    "the run reached its time limit at N ms, with critical sections undone, and no fault explains it",
  ],
  ["failover at 7 ms (event 2) was skipped: its trigger never came", "failover was skipped: its trigger never came"],
  [
    "stall of client-0, healing, at 1.5 ms (event 9) was not seen to take effect: 2 connections",
    "stall, healing, was not seen to take effect",
  ],
  [
    'the checker failed: no owner "9f2c01abdeadbeef" in client-0 and client-1, client-2 after -1.25 ms',
    'the checker failed: no owner "…" in client after N ms',
  ],
  ["owner 9f2c01ab… was\nnot seen", "owner … was not seen"],
  [
    "client-0 died by itself: SIGKILL; what it printed is in .lockstorm/runs/2026-11-27T08-42-25-21/logs/client-0.log",
    "client died by itself: SIGKILL",
  ],
  ["client-1 printed a line that is not UTF-8: 17 bytes", "client printed a line that is not UTF-8: N bytes"],
  ["NOSCRIPT of Redis 7.4 after EVALSHA1 or SHA-1, 3 times", "NOSCRIPT of Redis 7.4 after EVALSHA1 or SHA-1, N times"],
  ["connect ECONNREFUSED 127.0.0.1:46379 after 3 ms", "connect ECONNREFUSED an address after N ms"],
  ["Error: connect ECONNREFUSED ::1:6379", "Error: connect ECONNREFUSED an address"],
  ["no answer of [fd00::1]:6379 or 10.0.0.12", "no answer of an address or an address"],
  [
    "localhost:6379 closed the connection of std::vec, at 12:30:45",
    "localhost:N closed the connection of std::vec, at N:N:N",
  ],
  ["client 1.22.333.4444 of v4.16.5", "client N of vN"],
  ["RESP3 needs Valkey 8, after 5 of 9 ms", "RESP3 needs Valkey 8, after N of N ms"],
])("%s", (reason, kind) => {
  expect(reasonKind(reason)).toBe(kind);
  expect(reasonKind(kind)).toBe(kind);
});

test("is of bounded length", () => {
  expect(reasonKind("why ".repeat(1000))).toHaveLength(200);
});
