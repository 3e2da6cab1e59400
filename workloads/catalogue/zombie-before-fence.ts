import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const zombieBeforeFence: Scenario = {
  number: 8,
  slug: "zombie-before-fence",
  title: "a late write comes before the new holder's first, and fencing lets it through",
  source: SOURCES.ddia,
  says: "A resource can refuse an old fencing token only after it has seen a newer one.",
  summary:
    "Client 0 holds fencing token 1 and stops executing before it writes. Client 1 is granted the lock with token " +
    "2, and reads, but has not written yet. Client 0 wakes up and writes: the resource has seen no larger token " +
    "than 1 and accepts. Client 1 then writes, based on what it read before, and client 0's update is lost. The " +
    "tokens came in order, so fencing was not violated. A new holder's first act must be a fenced write, and only " +
    "then the read.",
  plan: {
    lock: "fenced",
    topology: { kind: "single" },
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
        until: { on: "read:ok", client: 1 },
      },
    ],
  },
  expected: {
    "lease-exclusion": "valid",
    "fencing-tokens": "valid",
    "stale-writes": "valid",
    "lost-updates": "overrun",
  },
  control: {
    by: "the new holder writes first, and then reads",
    plan: {
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
                { do: "write" },
                { do: "read" },
                { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 2000 },
                { do: "write" },
              ],
            },
          ],
        },
      ],
    },
    keeps: ["lease-exclusion", "fencing-tokens", "stale-writes", "lost-updates"],
    shows: [{ event: "write:fail", client: 0 }],
  },
};
