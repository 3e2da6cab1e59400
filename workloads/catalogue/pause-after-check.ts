import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const pauseAfterCheck: Scenario = {
  number: 38,
  slug: "pause-after-check",
  title: "a pause right after the check: Redlock cannot notice",
  source: SOURCES.kleppmann,
  says: "A pause can come after the last check and before the write, so no check helps.",
  summary:
    "Client 0 is granted the lock by five nodes, checks its clock, and stops executing before its next step. Its " +
    "lease ends, client 1 is granted the lock and writes. Client 0 wakes up and writes too. The lock kept its " +
    "promise; the author of Redlock concedes that no check of the lock's own helps here. Redlock offers no fencing " +
    "token, so the resource has to protect itself: in the control it takes only writes that are based on its last " +
    "state.",
  plan: {
    lock: "redlock",
    topology: { kind: "redlock" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "read" }, { do: "write" }] }] },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 6000,
            waitMs: 4000,
            tries: 3,
            after: { on: "acquire:ok", client: 0 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 2000 },
              { do: "write" },
            ],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "pause-client",
        params: { targets: ["client-0"] },
        at: { on: "acquire:ok", client: 0 },
        until: { on: "write:ok", client: 1 },
      },
    ],
  },
  expected: { "mutual-exclusion": "overrun", "lease-exclusion": "valid", "lost-updates": "overrun" },
  control: {
    by: "compare and set at the resource",
    plan: { resource: { fencing: true, versions: true } },
    keeps: ["lease-exclusion", "lost-updates"],
    shows: [{ event: "write:fail", client: 1 }],
  },
};
