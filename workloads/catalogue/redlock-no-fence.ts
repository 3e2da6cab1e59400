import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const redlockNoFence: Scenario = {
  number: 39,
  slug: "redlock-no-fence",
  title: "a delayed write under Redlock, and no fencing token to refuse it by",
  source: SOURCES.kleppmann,
  says: "Redlock has no facility for making fencing tokens, so it cannot protect a resource from a delayed request.",
  summary:
    "The schedule is that of delayed-write, with Redlock. Client 0's write is sent within its lease and held by the network; " +
    "client 1 is granted the lock and writes; then client 0's write arrives. The resource would check a fencing token, but " +
    "Redlock gives it none: its owner values are random and have no order. A token must come from elsewhere, or the resource " +
    "must compare versions, as in the control.",
  plan: {
    lock: "redlock",
    topology: { kind: "redlock" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "read" }, { do: "write" }] }] },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 3000,
            waitMs: 4000,
            tries: 3,
            after: { on: "acquire:ok", client: 0 },
            steps: [{ do: "read" }, { do: "write" }],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "stall",
        params: { between: [["client-0"], ["resource"]], oneWay: true },
        at: { on: "write:invoke", client: 0 },
        until: { on: "write:ok", client: 1 },
      },
    ],
  },
  expected: { "lease-exclusion": "valid", "lost-updates": "overrun" },
  control: {
    by: "compare and set at the resource",
    plan: { resource: { fencing: true, versions: true } },
    keeps: ["lease-exclusion", "lost-updates"],
    shows: [{ event: "write:fail", client: 0 }],
  },
};
