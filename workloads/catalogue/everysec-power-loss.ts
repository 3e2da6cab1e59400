import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const everysecPowerLoss: Scenario = {
  number: 23,
  slug: "everysec-power-loss",
  title: "the power goes before the grant is synced to disk",
  source: SOURCES.redisPersistence,
  says: "With appendfsync everysec up to a second of acknowledged writes can be lost.",
  summary:
    "The node has an append-only file that is synced once a second. Client 0's grant is acknowledged and written, but not yet " +
    "on disk, when the power goes. The node comes back without the lock, and client 1 is granted it. A kill of the process " +
    "does not show this: what was written survives in the kernel. With appendfsync always the grant is on disk before it is " +
    "acknowledged.",
  plan: {
    lock: "single",
    topology: { kind: "single", persistence: "everysec" },
    clients: [interruptedHolder(10_000), rival({ ttlMs: 10_000, waitMs: 6000, tries: 40 })],
    faults: [{ kind: "power-loss", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } }],
  },
  expected: { "mutual-exclusion": "lost-in-restart", "lease-exclusion": "lost-in-restart" },
  control: {
    by: "appendfsync always",
    plan: { topology: { kind: "single", persistence: "always" } },
    keeps: ["mutual-exclusion", "lease-exclusion"],
  },
  onlyInSimulation:
    "what a killed server wrote and did not sync stays in the kernel, and nobody outside sees what was synced",
};
