import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const minReplicasBackwardClock: Scenario = {
  number: 27,
  slug: "min-replicas-backward-clock",
  title: "a master cut off from its replicas does not notice, because its clock went back",
  source: SOURCES.redisReplication,
  says: "A master can stop taking writes when it has not heard from its replicas for a number of seconds.",
  summary:
    "The master is configured to take writes only if it heard from a replica in the last two seconds. It is cut off " +
    "with client 0, and its clock steps back by a minute: the time since it last heard from its replicas becomes " +
    "negative, and stays below two seconds for a minute. Client 1 is granted the lock by the promoted replica; five " +
    "seconds later the old master still grants it to client 0. The guard measures time by a clock that can be " +
    "stepped. Compare and set at the resource needs no clock.",
  plan: {
    lock: "single",
    topology: { kind: "sentinel", config: { "min-replicas-to-write": "1", "min-replicas-max-lag": "2" } },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 20_000,
            waitMs: 0,
            tries: 5,
            after: { on: "write:ok", client: 1, afterMs: 5000 },
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
              { do: "await", until: { on: "write:ok", client: 0 }, atMostMs: 9000 },
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
      { kind: "clock-jump", params: { targets: ["node-0"], byMs: -60_000 }, at: { on: "fault:start", fault: 0 } },
    ],
    limitMs: 60_000,
  },
  expected: {
    "mutual-exclusion": "lost-in-failover",
    "lease-exclusion": "lost-in-failover",
    "lost-updates": "lost-in-failover",
  },
  control: {
    by: "compare and set at the resource",
    plan: { resource: { fencing: true, versions: true } },
    keeps: ["lost-updates"],
    shows: [{ event: "write:fail", client: 1 }],
  },
};
