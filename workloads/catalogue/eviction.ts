import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const eviction: Scenario = {
  number: 42,
  slug: "eviction",
  title: "a server short of memory evicts the lock and the fence counter",
  source: SOURCES.redisEviction,
  says: "With an allkeys policy Redis may evict any key when it reaches its memory limit.",
  summary:
    "The lock lives on a server that is also a cache, with a policy that may evict any key. Memory runs short while client 0 " +
    "holds. The lock is evicted, and client 1 is granted it; the fence counter, which never expires, is evicted too, and " +
    "client 1's fencing token is 1 again. The resource, which has seen token 1 from client 0, refuses the rightful new " +
    "holder. With noeviction, as in the control, the server refuses writes and keeps what it has.",
  plan: {
    lock: "fenced",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 10_000,
            waitMs: 0,
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "acquire:ok", client: 1 }, atMostMs: 4000 },
              { do: "write" },
            ],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 10_000,
            waitMs: 6000,
            tries: 3,
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
    faults: [{ kind: "eviction", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } }],
  },
  expected: { "mutual-exclusion": "eviction", "lease-exclusion": "eviction", "fencing-tokens": "eviction" },
  control: {
    by: "noeviction",
    plan: {
      faults: [
        {
          kind: "eviction",
          params: { targets: ["node-0"], policy: "noeviction" },
          at: { on: "write:ok", client: 0 },
        },
      ],
    },
    keeps: ["mutual-exclusion", "lease-exclusion", "fencing-tokens"],
  },
};
