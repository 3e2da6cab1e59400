import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const emptyMasterRestart: Scenario = {
  number: 30,
  slug: "empty-master-restart",
  title: "a master without persistence restarts, and its replicas copy the emptiness",
  source: SOURCES.redisReplication,
  says: "A master without persistence must not restart by itself: it comes back empty, and its replicas empty themselves too.",
  summary:
    "Client 0 is granted the lock, and WAIT says that a replica has it. The master crashes and is started again at once, " +
    "before any Sentinel has seen it down. It keeps nothing on disk, so it is empty, and it is still the master: the " +
    "replicas copy it and are empty too. Client 1 is granted the lock. Three copies did not help; a file does, or a master " +
    "that stays down until a replica was promoted.",
  plan: {
    lock: "replicated",
    topology: { kind: "sentinel", persistence: "none" },
    clients: [interruptedHolder(20_000, 8000), rival({ ttlMs: 20_000, waitMs: 0, tries: 100 })],
    faults: [
      // The Sentinels are paused, so the restart is over before one of them looks again, however long it takes.
      {
        kind: "pause-node",
        params: { targets: ["sentinels"] },
        at: { on: "write:ok", client: 0 },
        until: { on: "fault:start", fault: 1 },
      },
      { kind: "restart-node", params: { targets: ["node-0"] }, at: { on: "fault:start", fault: 0 } },
    ],
  },
  expected: {
    "mutual-exclusion": "lost-in-restart",
    "lease-exclusion": "lost-in-restart",
  },
  control: {
    by: "an append-only file",
    plan: { topology: { kind: "sentinel", persistence: "everysec" } },
    keeps: ["mutual-exclusion", "lease-exclusion"],
  },
};
