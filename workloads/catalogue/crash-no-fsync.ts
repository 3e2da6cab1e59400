import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const crashNoFsync: Scenario = {
  number: 34,
  slug: "crash-no-fsync",
  title: "one node of five restarts empty, and two majorities hold",
  source: SOURCES.redisLocks,
  says: "Without persistence a node that restarts can grant again what it had granted, so that two clients have a majority.",
  summary:
    "Client 0 cannot reach nodes 3 and 4 and is granted the lock by nodes 0, 1 and 2. Node 2 crashes and starts again, empty. " +
    "Client 1 cannot reach nodes 0 and 1, and is granted the lock by nodes 2, 3 and 4. Either every write is synced before it " +
    "is acknowledged, as in the control, or a node that restarts stays away until every lease it may have forgotten is over.",
  plan: {
    lock: "redlock",
    topology: { kind: "redlock", persistence: "none" },
    clients: [interruptedHolder(10_000, 8000), rival({ ttlMs: 2000, waitMs: 1000, tries: 20 })],
    faults: [
      {
        kind: "partition",
        params: { between: [["client-0"], ["node-3", "node-4"]] },
        at: { on: "acquire:invoke", client: 0 },
      },
      { kind: "restart-node", params: { targets: ["node-2"] }, at: { on: "write:ok", client: 0 } },
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
    by: "appendfsync always on every node",
    plan: { lock: "redlock-fsync", topology: { kind: "redlock", persistence: "always" } },
    keeps: ["mutual-exclusion", "lease-exclusion", "lost-updates"],
  },
};
