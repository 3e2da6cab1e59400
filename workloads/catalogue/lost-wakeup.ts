import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const lostWakeup: Scenario = {
  number: 16,
  slug: "lost-wakeup",
  title: "a lock is freed between a waiter's try and its subscription, and the waiter sleeps on",
  source: SOURCES.redisson1763,
  says: "A thread that waits for the message that a lock is free can wait for ever, although the lock is free.",
  summary:
    "Client 1 finds the lock held and subscribes to the message that announces its release. The subscription is " +
    "slow; client 0 releases and publishes the message before the subscription is active. Client 1 then receives " +
    "nothing, and waits until its time-out for a lock that is free. A waiter must try once more after its " +
    "subscription is confirmed.",
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
