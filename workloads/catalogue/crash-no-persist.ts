import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const crashNoPersist: Scenario = {
  number: 22,
  slug: "crash-no-persist",
  title: "the only node crashes and comes back without the lock",
  source: SOURCES.redisPersistence,
  says: "Without persistence the data live only as long as the server runs.",
  summary:
    "Client 0 is granted the lock by a node that keeps nothing on disk. The node crashes and starts again, empty. Client 1 " +
    "asks for the lock and is granted it, while client 0's lease has seconds left. With an append-only file the grant was " +
    "written before it was acknowledged, and SIGKILL cannot take it back.",
  plan: {
    lock: "single",
    topology: { kind: "single", persistence: "none" },
    clients: [interruptedHolder(10_000), rival({ ttlMs: 10_000, waitMs: 6000, tries: 40 })],
    faults: [{ kind: "restart-node", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } }],
  },
  expected: { "mutual-exclusion": "lost-in-restart", "lease-exclusion": "lost-in-restart" },
  control: {
    by: "an append-only file",
    plan: { topology: { kind: "single", persistence: "everysec" } },
    keeps: ["mutual-exclusion", "lease-exclusion"],
  },
};
