import type { Scenario } from "../scenario.ts";
import { SOURCES } from "./sources.ts";

export const pausePastLease: Scenario = {
  slug: "pause-past-lease",
  title: "a holder pauses past its lease, and writes when it wakes",
  source: SOURCES.kleppmann,
  summary:
    "Client 0 is granted the lock and stops executing, as in a long garbage collection, before its first write. Its lease " +
    "runs out, client 1 is granted the lock and writes. Client 0 wakes up, does not know that time has passed, and writes " +
    "too. The lock kept its word: the leases do not overlap. No check before the write helps, because the pause can come " +
    "after the check; only the resource can refuse the late write, by a fencing token.",
  plan: {
    lock: "single",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "write" }] }] },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 3000,
            waitMs: 5000,
            after: { on: "acquire:ok", client: 0 },
            steps: [
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
  expected: { "mutual-exclusion": "invalid", "lease-exclusion": "valid" },
  cause: "overrun",
};
