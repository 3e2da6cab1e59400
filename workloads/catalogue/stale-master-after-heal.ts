import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const staleMasterAfterHeal: Scenario = {
  number: 26,
  slug: "stale-master-after-heal",
  title: "a replaced master comes back, and grants until a Sentinel corrects it",
  source: SOURCES.redisSentinel,
  says: "A master that returns is reconfigured as a replica, and what it took in the meantime is discarded.",
  summary:
    "The master stops; a replica is promoted and grants client 1 the lock. The old master continues where it " +
    "stopped: it acts as the master until a Sentinel corrects it, about ten seconds later. Client 0, whose " +
    "connection has survived all this, asks it and is granted the same lock. A master that takes writes only while " +
    "it hears of its replicas refuses, because they have left it.",
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
            tries: 5,
            after: { on: "write:ok", client: 1 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 1 }, atMostMs: 2000 },
            ],
          },
        ],
      },
      {
        sections: [
          // The request that is under way when the master stops is for another key: it arrives when the master goes on.
          { key: "k2", ttlMs: 500, waitMs: 0, steps: [] },
          {
            key: "k1",
            ttlMs: 20_000,
            waitMs: 0,
            tries: 600,
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "write:ok", client: 0 }, atMostMs: 4000 },
              { do: "write" },
            ],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "pause-node",
        params: { targets: ["node-0"] },
        at: { on: "acquire:invoke", client: 1 },
        until: { on: "read:ok", client: 1 },
      },
    ],
    limitMs: 60_000,
  },
  expected: {
    "mutual-exclusion": "lost-in-failover",
    "lease-exclusion": "lost-in-failover",
    "lost-updates": "lost-in-failover",
  },
  control: {
    by: "min-replicas-to-write: a master without replicas refuses",
    plan: {
      topology: { kind: "sentinel", config: { "min-replicas-to-write": "1", "min-replicas-max-lag": "1" } },
    },
    keeps: ["mutual-exclusion", "lease-exclusion", "lost-updates"],
    shows: [{ event: "acquire:fail", client: 0 }],
  },
};
