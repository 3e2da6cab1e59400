import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const sentinelSplitBrain: Scenario = {
  number: 25,
  slug: "sentinel-split-brain",
  title: "the network splits, and each side has a master that grants",
  source: SOURCES.redisSentinel,
  says: "A master that is cut off with some clients goes on taking their writes, which are lost when the split heals.",
  summary:
    "The old master, one Sentinel and client 0 are on one side of a split; two replicas, two Sentinels and client 1 on the " +
    "other. The majority promotes a replica, which grants client 1 the lock. The old master has heard nothing of it and grants " +
    "client 0 the same lock. When the split heals, what the old master has is thrown away. A master that takes writes only " +
    "while it hears of its replicas (min-replicas-to-write) ends this after about min-replicas-max-lag.",
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
        kind: "partition",
        params: {
          between: [
            ["node-0", "sentinel-0", "client-0"],
            ["node-1", "node-2", "sentinel-1", "sentinel-2", "client-1"],
          ],
        },
        at: { on: "acquire:invoke", client: 1 },
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
