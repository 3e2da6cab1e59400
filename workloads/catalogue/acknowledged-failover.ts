import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const acknowledgedFailover: Scenario = {
  number: 43,
  slug: "acknowledged-failover",
  title: "a replica has the lock, and another one is promoted",
  source: SOURCES.redisWait,
  says: "WAIT makes a system of replicated servers no strongly consistent store: an acknowledged write can be lost in a failover.",
  summary:
    "The lock counts a grant only when WAIT says that a replica has it. One of the two replicas is cut off and has nothing; the " +
    "other acknowledges, and client 0 is granted the lock. Then the master dies while the replica that has the lock stands " +
    "still, so that the Sentinels promote the one that has not. Client 1 asks the new master and is granted the same lock. A " +
    "majority that was asked at the time of the grant is of no use when nobody asks it at the promotion. Redisson's " +
    "checkLockSyncedSlaves, its default, loses the lock in the same way.",
  plan: {
    lock: "replicated",
    topology: { kind: "sentinel" },
    resource: { fencing: false },
    clients: [interruptedHolder(40_000, 25_000), rival({ ttlMs: 40_000, waitMs: 0, tries: 600 })],
    faults: [
      {
        kind: "partition",
        params: { between: [["node-0"], ["node-1"]], oneWay: true },
        at: { on: "acquire:invoke", client: 0 },
      },
      {
        kind: "pause-node",
        params: { targets: ["node-2"] },
        at: { on: "write:ok", client: 0 },
        until: { on: "write:ok", client: 0, afterMs: 8000 },
      },
      { kind: "kill-node", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } },
    ],
    limitMs: 60_000,
  },
  expected: {
    "mutual-exclusion": "lost-in-failover",
    "lease-exclusion": "lost-in-failover",
    "lost-updates": "stale-accepted",
  },
  control: {
    by: "a resource that checks fencing tokens",
    plan: { resource: { fencing: true } },
    keeps: ["lost-updates"],
    shows: [{ event: "write:fail", client: 0 }],
  },
};
