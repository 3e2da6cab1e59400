import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const ownerValueReuse: Scenario = {
  number: 5,
  slug: "owner-value-reuse",
  title: "a delayed release of the last hold deletes the client's next one",
  source: SOURCES.redisLocks,
  says: "The value must be unique across all clients and all lock requests, not only across clients.",
  summary:
    "Client 0 always uses the same owner value. It releases its hold, but the release is held up on its way; the hold " +
    "expires, and client 0 is granted the lock again, over another connection. Then the old release arrives, finds the " +
    "owner value it was sent with, and deletes the new hold. Client 1 is granted the lock while client 0 holds it. A fresh " +
    "owner value for each acquisition makes the old release harmless.",
  plan: {
    lock: "owner-value-fixed",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          // The first release loads the script into the server.
          { key: "k1", ttlMs: 800, waitMs: 0, steps: [] },
          { key: "k1", ttlMs: 800, waitMs: 0, steps: [] },
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 200,
            after: { on: "release:invoke", client: 0, count: 2, afterMs: 900 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 3000 },
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
            waitMs: 1000,
            after: { on: "release:invoke", client: 0, count: 2, afterMs: 1400 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 0, count: 3 }, atMostMs: 2000 },
            ],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "latency",
        params: { between: [["client-0"], ["node-0"]], oneWay: true, delayMs: 1200 },
        at: { on: "release:invoke", client: 0, count: 2 },
        until: { on: "release:invoke", client: 0, count: 2, afterMs: 100 },
      },
    ],
  },
  expected: { "mutual-exclusion": "foreign-release", "lease-exclusion": "foreign-release" },
  control: {
    by: "a fresh owner value for each acquisition",
    plan: { lock: "single" },
    keeps: ["mutual-exclusion", "lease-exclusion"],
  },
  onlyInSimulation: "what the proxy holds back arrives as soon as later traffic passes: nothing is overtaken",
};
