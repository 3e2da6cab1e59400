import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const asyncFailover: Scenario = {
  number: 24,
  slug: "async-failover",
  title: "the master dies before its replicas learn of the lock",
  source: SOURCES.redisLocks,
  says: "Replication is asynchronous, so a lock on a master with replicas is not safe when the master fails.",
  summary:
    "Replication is asynchronous: the master grants client 0 the lock before any replica has it. The master dies, " +
    "and the Sentinels promote a replica that never saw the key. Client 1 asks the new master and is granted the " +
    "same lock. WAIT narrows the gap and does not close it; a resource that accepts only writes based on its last " +
    "state is safe, and so is one that checks a fencing token whose counter survives the failover.",
  plan: {
    lock: "single",
    topology: { kind: "sentinel" },
    clients: [interruptedHolder(20_000, 8000), rival({ ttlMs: 20_000, waitMs: 12_000, tries: 100 })],
    faults: [
      {
        kind: "partition",
        params: { between: [["masters"], ["replicas"]], oneWay: true },
        at: { on: "acquire:invoke", client: 0 },
      },
      { kind: "kill-node", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } },
    ],
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
    shows: [{ event: "write:fail", client: 0 }],
  },
};
