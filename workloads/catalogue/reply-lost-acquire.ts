import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const replyLostAcquire: Scenario = {
  number: 14,
  slug: "reply-lost-acquire",
  title: "a client is refused by the lock that it set itself",
  source: SOURCES.redlock369,
  says: "A retry after a reply that was lost finds the client's own key, and takes it for somebody else's.",
  summary:
    "Client 0 sets the lock, but the reply is lost. It takes the time-out for proof that nothing was set, and asks again: now " +
    "its own key refuses it, and client 1 too. A lock with an expiry is stuck for its lease; this one has none and is never " +
    "freed. Either the retry recognizes its own owner value as success, with the lease counted from the first request, or " +
    "the client frees what it may have set before it asks again.",
  plan: {
    lock: "timeout-is-failure",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 1000, waitMs: 6000, steps: [{ do: "hold", forMs: 400 }] }] },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 1000,
            waitMs: 6000,
            after: { on: "acquire:invoke", client: 0, afterMs: 200 },
            steps: [{ do: "write" }],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "stall",
        params: { between: [["node-0"], ["client-0"]], oneWay: true },
        at: { on: "acquire:invoke", client: 0 },
        until: { on: "acquire:invoke", client: 0, afterMs: 600 },
      },
    ],
  },
  expected: { "deadlock-freedom": "never-freed" },
  shows: [{ event: "acquire:fail", client: 0 }],
  control: {
    by: "asking again under the same owner value",
    plan: { lock: "reference" },
    keeps: ["deadlock-freedom"],
    shows: [{ event: "acquire:ok", client: 1 }],
  },
};
