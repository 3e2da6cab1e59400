import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const nodeClockJump: Scenario = {
  number: 33,
  slug: "node-clock-jump",
  title: "one clock of five jumps, and two majorities hold",
  source: SOURCES.kleppmann,
  says: "Redlock is unsafe when the clock of one node jumps, because that node lets its key expire early.",
  summary:
    "Client 0 cannot reach nodes 3 and 4 and is granted the lock by nodes 0, 1 and 2. The clock of node 2 steps " +
    "forward past the lease, and node 2 lets the key expire. Client 1 cannot reach nodes 0 and 1, and is granted " +
    "the lock by nodes 2, 3 and 4. The two majorities have only node 2 in common, and node 2 forgot.",
  plan: {
    lock: "redlock",
    topology: { kind: "redlock" },
    clients: [interruptedHolder(10_000, 8000), rival({ ttlMs: 2000, waitMs: 1000, tries: 20 })],
    faults: [
      {
        kind: "partition",
        params: { between: [["client-0"], ["node-3", "node-4"]] },
        at: { on: "acquire:invoke", client: 0 },
      },
      { kind: "clock-jump", params: { targets: ["node-2"], byMs: 11_000 }, at: { on: "write:ok", client: 0 } },
      {
        kind: "partition",
        params: { between: [["client-1"], ["node-0", "node-1"]] },
        at: { on: "acquire:invoke", client: 1 },
      },
    ],
  },
  expected: { "mutual-exclusion": "clock-jump", "lease-exclusion": "clock-jump", "lost-updates": "clock-jump" },
  control: {
    by: "compare and set at the resource",
    plan: { resource: { fencing: true, versions: true } },
    keeps: ["lost-updates"],
    shows: [{ event: "write:fail", client: 0 }],
  },
};
