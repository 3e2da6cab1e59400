import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const tokenRollback: Scenario = {
  number: 31,
  slug: "token-rollback",
  title: "the fence counter is lost with the master, and a fencing token is given out twice",
  source: SOURCES.kleppmann,
  says: "A counter on one Redis node is not enough to make fencing tokens, because that node can fail.",
  summary:
    "The fence counter is stored beside the lock. Client 0's grant increments it on the master, and no replica " +
    "receives that. The master dies, a replica is promoted, and client 1's grant increments the counter to the same " +
    "number. Two holders have the same fencing token, and a resource that accepts a token it has already seen " +
    "accepts both. The counter belongs in a store that does not forget; in the control the resource at least " +
    "refuses an equal token of another owner.",
  plan: {
    lock: "fenced",
    topology: { kind: "sentinel" },
    resource: { fencing: false },
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
    "fencing-tokens": "token-rollback",
    "stale-writes": "stale-accepted",
    "lost-updates": "lost-in-failover",
  },
  control: {
    by: "a resource that refuses an equal fencing token of another owner",
    plan: { resource: { fencing: true } },
    keeps: ["stale-writes", "lost-updates"],
    shows: [{ event: "write:fail", client: 1 }],
  },
};
