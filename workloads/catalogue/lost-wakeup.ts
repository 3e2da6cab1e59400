import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const lostWakeup: Scenario = {
  number: 16,
  slug: "lost-wakeup",
  title: "a lock is freed between a waiter's try and its subscription, and the waiter sleeps on",
  source: SOURCES.redisson1763,
  says: "A thread that waits for the message that a lock is free can wait for ever, although the lock is free.",
  summary:
    "Client 1 finds the lock held and subscribes to the news that it is free. The subscription is slow; client 0 releases and " +
    "announces it before the subscription stands. Client 1 is subscribed, hears nothing, and waits to the end of its " +
    "patience for a lock that is free. After the confirmation of its subscription a waiter must try once more.",
  plan: {
    lock: "lost-wakeup",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 2000,
            waitMs: 0,
            steps: [
              { do: "write" },
              { do: "await", until: { on: "fault:start", fault: 0, afterMs: 270 }, atMostMs: 1500 },
            ],
          },
        ],
      },
      {
        sections: [
          { key: "k1", ttlMs: 2000, waitMs: 7000, after: { on: "acquire:ok", client: 0 }, steps: [{ do: "write" }] },
          { key: "k1", ttlMs: 2000, waitMs: 0, after: { on: "acquire:invoke", client: 1, afterMs: 1100 }, steps: [] },
        ],
      },
    ],
    faults: [
      {
        kind: "latency",
        params: { between: [["client-1"], ["node-0"]], oneWay: true, delayMs: 180 },
        at: { on: "acquire:invoke", client: 1 },
        until: { on: "acquire:invoke", client: 1, afterMs: 1000 },
      },
    ],
  },
  expected: { "deadlock-freedom": "never-freed" },
  shows: [{ event: "acquire:fail", client: 1 }],
  control: {
    by: "one more try when the subscription is confirmed",
    plan: { lock: "reference" },
    keeps: ["deadlock-freedom", "mutual-exclusion", "lease-exclusion"],
    shows: [{ event: "acquire:ok", client: 1 }],
  },
};
