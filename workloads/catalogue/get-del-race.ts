import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const getDelRace: Scenario = {
  number: 4,
  slug: "get-del-race",
  title: "between GET and DEL the lock becomes somebody else's",
  source: SOURCES.redisLocks,
  says: "Comparing and deleting must be one step, which on Redis takes a script.",
  summary:
    "Client 0 releases with a GET, which asks whose lock it is, and a DEL if the lock is its own. The GET arrives " +
    "shortly before the lease ends and finds its own value; the DEL, sent on that answer, arrives when the key has " +
    "expired and client 1 has been granted the lock. It deletes client 1's lock, and client 2 is granted the lock " +
    "while client 1 holds.",
  plan: {
    lock: "get-del",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 4000, waitMs: 0, steps: [{ do: "hold", forMs: 1000 }] }] },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 6000,
            tries: 3,
            after: { on: "acquire:ok", client: 0 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "write:ok", client: 2 }, atMostMs: 3000 },
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
            waitMs: 1000,
            after: { on: "release:invoke", client: 0, afterMs: 3800 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 1 }, atMostMs: 2000 },
            ],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "latency",
        params: { between: [["client-0"], ["node-0"]], oneWay: true, delayMs: 1700 },
        at: { on: "release:invoke", client: 0 },
        until: { on: "release:end", client: 0 },
      },
    ],
  },
  expected: { "mutual-exclusion": "foreign-release", "lease-exclusion": "foreign-release" },
  control: {
    by: "compare and delete in one script",
    plan: { lock: "single" },
    keeps: ["mutual-exclusion", "lease-exclusion", "owner-release"],
  },
};
