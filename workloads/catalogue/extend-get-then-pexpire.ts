import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const extendGetThenPexpire: Scenario = {
  number: 9,
  slug: "extend-get-then-pexpire",
  title: "between GET and PEXPIRE the lock becomes somebody else's, and is extended",
  source: SOURCES.redisLocks,
  says: "A lease may be extended only if the key still holds the client's own value, checked in the same script.",
  summary:
    "Client 0 extends its lease with a GET, which asks whose lock it is, and a PEXPIRE. The GET arrives shortly " +
    "before the lease ends and finds client 0's own value; the PEXPIRE arrives when the key has expired and is " +
    "client 1's. It answers 1: client 0 believes that it has extended its own lease, but has extended client 1's. " +
    "Both hold.",
  plan: {
    lock: "extend-get-then-pexpire",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 4000,
            waitMs: 0,
            steps: [
              { do: "read" },
              { do: "hold", forMs: 1000 },
              { do: "extend", ttlMs: 8000 },
              { do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 3000 },
              { do: "write" },
            ],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 8000,
            tries: 3,
            after: { on: "acquire:ok", client: 0 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 3000 },
            ],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "latency",
        params: { between: [["client-0"], ["node-0"]], oneWay: true, delayMs: 1700 },
        at: { on: "extend:invoke", client: 0 },
        until: { on: "extend:ok", client: 0 },
      },
    ],
  },
  expected: { "mutual-exclusion": "foreign-release", "lease-exclusion": "foreign-release" },
  control: {
    by: "compare and extend in one script, and a deadline of the holder's own",
    plan: { lock: "watchdog" },
    keeps: ["mutual-exclusion", "lease-exclusion", "owner-release"],
  },
};
