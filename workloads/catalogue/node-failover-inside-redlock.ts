import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const nodeFailoverInsideRedlock: Scenario = {
  number: 40,
  slug: "node-failover-inside-redlock",
  title: "one of the five fails over to a machine that has not heard of the lock",
  source: SOURCES.redsync186,
  says: "Redlock's nodes must be independent masters; a node with a replica that takes over can lose the lock.",
  summary:
    "Each of the five nodes syncs every write. Client 0 cannot reach nodes 3 and 4 and is granted the lock by nodes " +
    "0, 1 and 2. Node 2 fails, and another machine takes its place under its name, like a replica that had not yet " +
    "received the grant. To the clients that is a node that comes back with another disk, which is how the schedule " +
    "does it. Client 1 cannot reach nodes 0 and 1, and is granted the lock by nodes 2, 3 and 4. In the control node " +
    "2 comes back with its own disk.",
  plan: {
    lock: "redlock-fsync",
    topology: { kind: "redlock", persistence: "always" },
    clients: [interruptedHolder(10_000, 8000), rival({ ttlMs: 2000, waitMs: 1000, tries: 20 })],
    faults: [
      {
        kind: "partition",
        params: { between: [["client-0"], ["node-3", "node-4"]] },
        at: { on: "acquire:invoke", client: 0 },
      },
      {
        kind: "restart-node",
        params: { targets: ["node-2"], keepData: false },
        at: { on: "write:ok", client: 0 },
      },
      {
        kind: "partition",
        params: { between: [["client-1"], ["node-0", "node-1"]] },
        at: { on: "acquire:invoke", client: 1 },
      },
    ],
  },
  expected: {
    "mutual-exclusion": "lost-in-restart",
    "lease-exclusion": "lost-in-restart",
    "lost-updates": "lost-in-restart",
  },
  control: {
    by: "no failover inside a node: it comes back as itself",
    plan: {
      faults: [
        {
          kind: "partition",
          params: { between: [["client-0"], ["node-3", "node-4"]] },
          at: { on: "acquire:invoke", client: 0 },
        },
        {
          kind: "restart-node",
          params: { targets: ["node-2"], keepData: true },
          at: { on: "write:ok", client: 0 },
        },
        {
          kind: "partition",
          params: { between: [["client-1"], ["node-0", "node-1"]] },
          at: { on: "acquire:invoke", client: 1 },
        },
      ],
    },
    keeps: ["mutual-exclusion", "lease-exclusion", "lost-updates"],
  },
};
