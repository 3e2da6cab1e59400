import type { Scenario } from "../scenario.ts";
import { SOURCES } from "./sources.ts";

export const nodeClockJump: Scenario = {
  slug: "node-clock-jump",
  title: "one clock of five jumps, and two majorities hold",
  source: SOURCES.kleppmann,
  summary:
    "Client 0 cannot reach nodes 3 and 4 and is granted the lock by nodes 0, 1 and 2. The clock of node 2 steps forward past " +
    "the lease, and node 2 lets the key expire. Client 1 cannot reach nodes 0 and 1, and is granted the lock by nodes 2, 3 and " +
    "4: two majorities that have only node 2 in common, which forgot.",
  plan: {
    lock: "redlock",
    topology: { kind: "redlock" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 10_000,
            waitMs: 0,
            steps: [
              { do: "write" },
              { do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 4000 },
              { do: "write" },
            ],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 10_000,
            waitMs: 6000,
            tries: 20,
            after: { on: "write:ok", client: 0 },
            steps: [{ do: "write" }, { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 2000 }],
          },
        ],
      },
    ],
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
  expected: { "mutual-exclusion": "invalid", "lease-exclusion": "invalid" },
  cause: "clock-jump",
};
