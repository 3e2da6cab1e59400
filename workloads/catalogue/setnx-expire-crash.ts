import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const setnxExpireCrash: Scenario = {
  number: 1,
  slug: "setnx-expire-crash",
  title: "a client dies between SETNX and EXPIRE, and the lock is never freed",
  source: SOURCES.redisSetnx,
  says: "A client can fail between setting a lock and giving it an expiry, so the two must be one command.",
  summary:
    "Client 0 takes the lock with SETNX; the reply is late, and the client dies before it sends the EXPIRE that was " +
    "to follow. The key exists without an expiry: PTTL says -1. Client 1 tries for six seconds, six times the lease " +
    "that client 0 wanted, and would try for ever. SET with NX and PX takes the lock and gives it its expiry in one " +
    "step.",
  plan: {
    lock: "setnx-expire",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 1000,
            waitMs: 0,
            steps: [
              { do: "write" },
              { do: "await", until: { on: "acquire:invoke", client: 1 }, atMostMs: 700 },
              { do: "hold", forMs: 100 },
            ],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 1000,
            waitMs: 0,
            after: { on: "acquire:invoke", client: 0, afterMs: 400 },
            steps: [],
          },
          { key: "k1", ttlMs: 1000, waitMs: 6000, steps: [{ do: "write" }] },
        ],
      },
    ],
    faults: [
      {
        kind: "stall",
        params: { between: [["node-0"], ["client-0"]], oneWay: true },
        at: { on: "acquire:invoke", client: 0 },
        until: { on: "fault:start", fault: 1 },
      },
      { kind: "kill-client", params: { targets: ["client-0"] }, at: { on: "fault:start", fault: 0, afterMs: 150 } },
    ],
  },
  expected: { "deadlock-freedom": "never-freed" },
  shows: [{ event: "acquire:fail", client: 1 }],
  control: {
    by: "SET NX PX: the lock has its expiry from the first instant",
    plan: { lock: "single" },
    keeps: ["deadlock-freedom"],
    shows: [{ event: "acquire:ok", client: 1 }],
  },
};
