import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const localHandoff: Scenario = {
  number: 18,
  slug: "local-handoff",
  title: "a lease is handed on within a process, with the fencing token of the one before",
  source: SOURCES.kleppmann,
  says: "A fencing token has to grow each time that a client acquires the lock.",
  summary:
    "To save a round trip, a process that unlocks keeps the lease for the next of its own threads that asks, and " +
    "hands it on unchanged, with the same fencing token. Two holds, one after the other, carry the same token: a " +
    "late write of the first cannot be told from a write of the second. This needs no fault, so there is no run " +
    "without faults to compare; the control mints a token for each hold.",
  plan: {
    lock: "handoff-same-fence",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          { key: "k1", ttlMs: 2000, waitMs: 0, steps: [{ do: "write" }, { do: "hold", forMs: 100 }] },
          { key: "k1", ttlMs: 2000, waitMs: 1000, steps: [{ do: "write" }] },
        ],
      },
      {
        sections: [
          { key: "k1", ttlMs: 2000, waitMs: 0, after: { on: "write:ok", client: 0 }, steps: [{ do: "write" }] },
        ],
      },
    ],
    faults: [],
  },
  expected: { "fencing-tokens": "token-rollback" },
  control: {
    by: "a fencing token for each hold",
    plan: { lock: "fenced" },
    keeps: ["fencing-tokens", "stale-writes", "mutual-exclusion", "lease-exclusion"],
  },
};
