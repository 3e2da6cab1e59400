import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const reentryMiscount: Scenario = {
  number: 17,
  slug: "reentry-miscount",
  title: "an inner unlock frees the lock that the outer section believes it holds",
  source: SOURCES.kleppmann,
  says: "A client that was paused past its lease goes on as if it held; a count in the server does not tell it that the lock was lost.",
  summary:
    "Client 0 holds a reentrant lock, count 1, and stops executing past its lease. Client 1 holds, writes, and " +
    "releases. Client 0 wakes up inside its outer section and enters again: the server knows of no hold, and starts " +
    "to count at 1. The inner unlock counts down to 0 and deletes the lock. Client 2 is granted it while client 0's " +
    "outer section still runs and overwrites what client 1 has written. Each outermost hold needs a generation of " +
    "its own, and a re-entry must require that its outermost hold still exists.",
  plan: {
    lock: "reentrant-naive",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 800,
            waitMs: 0,
            steps: [
              { do: "read" },
              { do: "reenter", ttlMs: 5000, steps: [] },
              { do: "await", until: { on: "write:ok", client: 2 }, atMostMs: 600 },
              { do: "write" },
            ],
          },
        ],
      },
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
      {
        sections: [
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 300,
            after: { on: "release:end", client: 0 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 0, count: 2 }, atMostMs: 2000 },
            ],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "pause-client",
        params: { targets: ["client-0"] },
        at: { on: "acquire:invoke", client: 0, count: 2 },
        until: { on: "release:end", client: 1 },
      },
    ],
  },
  // Client 0 outlived its lease. The lock kept its promises: the lease of the inner entry, which may have been a new
  // hold, ended with its unlock.
  expected: { "mutual-exclusion": "overrun", "lost-updates": "overrun" },
  control: {
    by: "a generation for each outermost hold",
    plan: { lock: "reentrant" },
    keeps: ["lease-exclusion", "lost-updates"],
    shows: [{ event: "acquire:fail", client: 0 }],
  },
};
