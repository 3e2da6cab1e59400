import { interruptedHolder } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const readFromReplica: Scenario = {
  number: 29,
  slug: "read-from-replica",
  title: "a replica is asked whether the lock is free, and has not heard of it",
  source: SOURCES.redisReplication,
  says: "Replicas are asynchronous: what a replica answers can be older than what the master has acknowledged.",
  summary:
    "To spare the master, the lock asks a replica whether the key is there, and sets it on the master if it is not. " +
    "The replicas lag. The master has granted client 0 the lock; the replica that client 1 asks has not heard of it " +
    "and says nil. Client 1 sets the key, and overwrites client 0's. A lock must ask only the master, by one " +
    "command that checks and sets.",
  plan: {
    lock: "read-from-replica",
    topology: { kind: "sentinel" },
    clients: [
      interruptedHolder(8000),
      {
        sections: [
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 0,
            after: { on: "write:ok", client: 0 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 2000 },
            ],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "partition",
        params: { between: [["node-0"], ["node-1", "node-2"]], oneWay: true },
        at: { on: "acquire:invoke", client: 0 },
        until: { on: "write:ok", client: 1 },
      },
    ],
  },
  expected: { "mutual-exclusion": "double-grant", "lease-exclusion": "double-grant" },
  control: {
    by: "the master checks and sets in the same step",
    plan: { lock: "single" },
    keeps: ["mutual-exclusion", "lease-exclusion"],
    shows: [{ event: "acquire:fail", client: 1 }],
  },
};
