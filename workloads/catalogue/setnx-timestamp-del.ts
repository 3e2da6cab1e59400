import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const setnxTimestampDel: Scenario = {
  number: 2,
  slug: "setnx-timestamp-del",
  title: "two clients find the same lock expired, and delete each other's",
  source: SOURCES.redisSetnx,
  says: "A client that finds the lock expired must not simply delete the key and set it again: two clients can do so.",
  summary:
    "The lock has no expiry of its own; its value says until when it is valid. Client 0 dies and leaves it behind. " +
    "Clients 1 and 2 both read that this time is past. Client 1 deletes the key and sets its own. Then the DEL of " +
    "client 2, which was slow on its way, deletes client 1's lock, and its SETNX succeeds too. With an expiry in " +
    "the server no client has to decide that a lock is over.",
  plan: {
    lock: "expired-by-timestamp",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 500, waitMs: 0, steps: [{ do: "hold", forMs: 100 }] }] },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 3000,
            after: { on: "acquire:invoke", client: 2, afterMs: 2600 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "write:ok", client: 2, count: 1 }, atMostMs: 4000 },
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
            waitMs: 0,
            after: { on: "acquire:ok", client: 0, afterMs: 700 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 1 }, atMostMs: 3500 },
            ],
          },
        ],
      },
    ],
    faults: [
      { kind: "kill-client", params: { targets: ["client-0"] }, at: { on: "acquire:ok", client: 0 } },
      {
        kind: "latency",
        params: { between: [["client-2"], ["node-0"]], oneWay: true, delayMs: 1000 },
        at: { on: "acquire:invoke", client: 2 },
        until: { on: "acquire:ok", client: 2 },
      },
    ],
  },
  expected: { "mutual-exclusion": "double-grant", "lease-exclusion": "double-grant" },
  control: {
    by: "SET NX PX: the server ends the lease",
    plan: { lock: "single" },
    keeps: ["mutual-exclusion", "lease-exclusion"],
  },
};
