import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const pausePastLease: Scenario = {
  number: 6,
  slug: "pause-past-lease",
  title: "a holder pauses past its lease, and writes when it wakes",
  source: SOURCES.kleppmann,
  says: "A client that was paused does not know that its lease is over, and no check before the write can tell it.",
  summary:
    "Client 0 is granted the lock, reads, and stops executing, as in a long garbage collection, when it is about to " +
    "write. Its lease runs out, client 1 is granted the lock and writes. Client 0 wakes up, does not know that time " +
    "has passed, and overwrites what it never read. The lock kept its promise: the leases do not overlap. No check " +
    "before the write helps, because the pause can come after the check; only the resource can refuse the late " +
    "write, by a fencing token.",
  plan: {
    lock: "single",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "read" }, { do: "write" }] }] },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 3000,
            waitMs: 5000,
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
        at: { on: "write:invoke", client: 0 },
        until: { on: "write:ok", client: 1 },
      },
    ],
  },
  expected: { "mutual-exclusion": "overrun", "lease-exclusion": "valid", "lost-updates": "overrun" },
  control: {
    by: "a fencing token, which the resource checks",
    plan: { lock: "fenced" },
    keeps: ["lease-exclusion", "fencing-tokens", "stale-writes", "lost-updates"],
    shows: [{ event: "write:fail", client: 0 }],
  },
};
