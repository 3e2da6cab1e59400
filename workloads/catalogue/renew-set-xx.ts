import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const renewSetXx: Scenario = {
  number: 10,
  slug: "renew-set-xx",
  title: "a renewal by SET XX overwrites the next holder's lock",
  source: SOURCES.redisLocks,
  says: "A lease may be extended only if the key still holds the client's own value; that the key exists is not enough.",
  summary:
    "Client 0 stops executing past its lease, and client 1 is granted the lock. Client 0 wakes up and renews by SET " +
    "with XX, which requires only that the key exists: it does, and it is client 1's. From now on it is client 0's " +
    "again, and nobody tells client 1.",
  plan: {
    lock: "extend-set-xx",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 1000,
            waitMs: 0,
            steps: [{ do: "write" }, { do: "extend", ttlMs: 6000 }, { do: "write" }],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 5000,
            tries: 3,
            after: { on: "acquire:ok", client: 0 },
            steps: [
              { do: "write" },
              { do: "await", until: { on: "write:ok", client: 0, count: 2 }, atMostMs: 2000 },
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
  expected: {
    "mutual-exclusion": "foreign-release",
    "lease-exclusion": "foreign-release",
    "owner-release": "foreign-release",
  },
  control: {
    by: "compare and extend in one script",
    plan: { lock: "single" },
    keeps: ["lease-exclusion", "owner-release"],
    shows: [{ event: "extend:fail", client: 0 }],
  },
};
