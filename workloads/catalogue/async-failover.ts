import type { Scenario } from "../scenario.ts";
import { SOURCES } from "./sources.ts";

export const asyncFailover: Scenario = {
  slug: "async-failover",
  title: "the master dies before its replicas learn of the lock",
  source: SOURCES.redisLocks,
  summary:
    "Replication is asynchronous: the master grants client 0 the lock before any replica has it. The master dies, and the " +
    "Sentinels promote a replica that never saw the key. Client 1 asks the new master and is granted the same lock. WAIT " +
    "narrows the gap and does not close it; a fencing token that survives the failover makes the resource safe.",
  plan: {
    lock: "single",
    topology: { kind: "sentinel" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 20_000,
            waitMs: 0,
            steps: [
              { do: "write" },
              { do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 8000 },
              { do: "write" },
            ],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 20_000,
            waitMs: 12_000,
            tries: 100,
            after: { on: "write:ok", client: 0 },
            steps: [{ do: "write" }, { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 2000 }],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "partition",
        params: { between: [["masters"], ["replicas"]], oneWay: true },
        at: { on: "acquire:invoke", client: 0 },
      },
      { kind: "kill-node", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } },
    ],
  },
  expected: { "mutual-exclusion": "invalid", "lease-exclusion": "invalid" },
  cause: "lost-in-failover",
};
