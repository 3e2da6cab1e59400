import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const watchdogOutlivesUnlock: Scenario = {
  number: 13,
  slug: "watchdog-outlives-unlock",
  title: "the renewal starts after the unlock, and nobody stops it",
  source: SOURCES.redisson7272,
  says: "If the unlock's callback runs before the acquisition's, the renewal is scheduled for a lock that is already free.",
  summary:
    "Client 0 is granted the lock; its renewal timer starts when the first renewal has been answered, and that " +
    "answer is slow. Meanwhile the client unlocks, which stops no timer, because none runs yet. Then the answer " +
    "comes, and the timer starts for a hold that is over. It recreates the key again and again, although nobody " +
    "holds. Client 1 tries for six seconds in vain. Each hold needs a generation, so that a late start sees that it " +
    "is too late.",
  plan: {
    lock: "renewal-late-start",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "hold", forMs: 40 }] }] },
      {
        sections: [
          { key: "k1", ttlMs: 1000, waitMs: 0, after: { on: "acquire:ok", client: 0 }, steps: [] },
          {
            key: "k1",
            ttlMs: 1000,
            waitMs: 6000,
            after: { on: "release:invoke", client: 0, afterMs: 2500 },
            steps: [{ do: "write" }],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "latency",
        params: { between: [["node-0"], ["client-0"]], oneWay: true, delayMs: 150 },
        at: { on: "acquire:invoke", client: 0 },
        until: { on: "release:invoke", client: 0, afterMs: 1500 },
      },
    ],
  },
  expected: { "deadlock-freedom": "never-freed" },
  control: {
    by: "the renewal belongs to one hold, and ends with it",
    plan: { lock: "watchdog" },
    keeps: ["deadlock-freedom"],
    shows: [{ event: "acquire:ok", client: 1 }],
  },
};
