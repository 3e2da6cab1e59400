import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const lateSetOrphan: Scenario = {
  number: 15,
  slug: "late-set-orphan",
  title: "a late SET lands when its client has given up, and locks everybody out for a lease",
  source: SOURCES.redisLocks,
  says: "A client that fails to get the lock should free what it may have set, and every lock must end by itself.",
  summary:
    "Client 0's request is held up on its way. The client gives up and tries to free what it may have set, without " +
    "effect: it has closed the connection when the server answers that it does not know the script. Then the SET " +
    "arrives. The key belongs to nobody, and client 1 is refused although nobody holds. The lock keeps its promise, " +
    "since the orphan ends with its lease; the caller chose how long that is. The control is the same with a lease " +
    "of half a second.",
  plan: {
    lock: "single",
    topology: { kind: "single" },
    clients: [
      {
        sections: [{ key: "k1", ttlMs: 6000, waitMs: 0, steps: [{ do: "hold", forMs: 1500 }] }],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 1000,
            waitMs: 2000,
            after: { on: "acquire:invoke", client: 0, afterMs: 1200 },
            steps: [{ do: "write" }],
          },
          { key: "k1", ttlMs: 1000, waitMs: 8000, steps: [{ do: "write" }] },
        ],
      },
    ],
    faults: [
      {
        kind: "stall",
        params: { between: [["client-0"], ["node-0"]], oneWay: true },
        at: { on: "acquire:invoke", client: 0 },
        until: { on: "acquire:invoke", client: 0, afterMs: 1000 },
      },
    ],
  },
  expected: { "mutual-exclusion": "valid", "lease-exclusion": "valid", "deadlock-freedom": "valid" },
  shows: [
    { event: "acquire:info", client: 0 },
    { event: "acquire:fail", client: 1 },
  ],
  control: {
    by: "a short lease",
    plan: {
      clients: [
        { sections: [{ key: "k1", ttlMs: 500, waitMs: 0, steps: [{ do: "hold", forMs: 100 }] }] },
        {
          sections: [
            {
              key: "k1",
              ttlMs: 1000,
              waitMs: 2000,
              after: { on: "acquire:invoke", client: 0, afterMs: 1200 },
              steps: [{ do: "write" }],
            },
          ],
        },
        {
          sections: [
            {
              key: "k1",
              ttlMs: 1000,
              waitMs: 2000,
              after: { on: "acquire:invoke", client: 1 },
              steps: [{ do: "write" }],
            },
          ],
        },
      ],
    },
    keeps: ["mutual-exclusion", "lease-exclusion", "deadlock-freedom"],
    shows: [{ event: "acquire:ok", client: 1 }],
  },
};
