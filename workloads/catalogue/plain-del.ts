import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const plainDel: Scenario = {
  number: 3,
  slug: "plain-del",
  title: "a late release deletes somebody else's lock",
  source: SOURCES.redisLocks,
  says: "A lock may be removed only by the client that set it, which a bare DEL does not check.",
  summary:
    "Client 0 is granted the lock and stops executing past its lease. Client 1 is granted the lock. Client 0 wakes " +
    "up and releases, with a DEL that does not check whose lock it is: client 1's lock is gone, and client 2 is " +
    "granted it while client 1 still holds. The fix is an owner value that the release compares before it deletes, " +
    "in one script.",
  plan: {
    lock: "set-px",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 800, waitMs: 0, steps: [{ do: "write" }] }] },
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
              { do: "await", until: { on: "write:ok", client: 2 }, atMostMs: 2000 },
              { do: "write" },
            ],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 0,
            after: { on: "release:end", client: 0 },
            steps: [{ do: "write" }, { do: "await", until: { on: "release:invoke", client: 1 }, atMostMs: 2000 }],
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
    "mutual-exclusion": ["foreign-release", "overrun"],
    "lease-exclusion": "foreign-release",
    "owner-release": "foreign-release",
  },
  control: {
    by: "an owner value, compared and deleted in one script",
    plan: { lock: "single" },
    keeps: ["lease-exclusion", "owner-release"],
  },
};
