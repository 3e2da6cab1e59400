import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

const plan = {
  lock: "redlock",
  topology: { kind: "redlock" },
  clients: [
    {
      sections: [
        // The first acquisition loads the lock's scripts, if it has any, into the servers.
        { key: "k2", ttlMs: 1000, waitMs: 0, steps: [] },
        {
          key: "k1",
          ttlMs: 1000,
          waitMs: 0,
          steps: [
            { do: "read" },
            { do: "await", until: { on: "acquire:invoke", client: 1 }, atMostMs: 700 },
            { do: "write" },
          ],
        },
      ],
    },
    {
      sections: [
        {
          key: "k1",
          ttlMs: 5000,
          waitMs: 4000,
          tries: 3,
          after: { on: "acquire:invoke", client: 0, count: 2, afterMs: 400 },
          steps: [
            { do: "read" },
            { do: "write" },
            { do: "await", until: { on: "release:invoke", client: 0, count: 2 }, atMostMs: 1500 },
          ],
        },
      ],
    },
  ],
  faults: [
    {
      kind: "stall",
      params: { between: [["nodes"], ["client-0"]], oneWay: true },
      at: { on: "acquire:invoke", client: 0, count: 2 },
      until: { on: "fault:start", fault: 1 },
    },
    {
      kind: "pause-client",
      params: { targets: ["client-0"] },
      at: { on: "fault:start", fault: 0, afterMs: 60 },
      until: { on: "write:ok", client: 1 },
    },
  ],
} satisfies Scenario["plan"];

export const pauseDuringAcquire: Scenario = {
  number: 36,
  slug: "pause-during-acquire",
  title: "a pause in the middle of acquiring: Redlock notices, and refuses",
  source: SOURCES.antirez,
  says: "A pause between asking and counting the answers is harmless, because the client looks at the clock again.",
  summary:
    "Client 0 asks five nodes; the answers are on their way when it stops executing. Its keys expire, client 1 is " +
    "granted the lock by all five, and writes. Client 0 wakes up and finds five answers that say OK. It compares " +
    "the time that has passed with the lease, and does not take the lock. This is the negative control of the " +
    "catalogue: nothing may break. Here the critic was wrong and the author was right.",
  plan,
  expected: { "mutual-exclusion": "valid", "lease-exclusion": "valid", "lost-updates": "valid" },
  shows: [{ event: "acquire:ok", client: 1 }],
  control: { none: "it is a negative control itself; bad-elapsed-check is the same without the check" },
};

export const badElapsedCheck: Scenario = {
  number: 37,
  slug: "bad-elapsed-check",
  title: "a pause in the middle of acquiring, and an implementation that does not look at the clock",
  source: SOURCES.redlock369,
  says: "An implementation that does not look at the clock again hands out locks that have expired.",
  summary:
    "The schedule is that of pause-during-acquire, but the client counts the answers and does not check the time " +
    "that they took. Client 0 wakes up, finds five answers that say OK, and takes a lock whose lease is over, while " +
    "client 1 holds it. A client must refuse a validity that is not positive, and free on every node what it may " +
    "have set.",
  plan: { ...plan, lock: "no-elapsed-check" },
  expected: { "mutual-exclusion": "expired-grant", "lease-exclusion": "expired-grant", "lost-updates": "valid" },
  control: {
    by: "the elapsed time is compared with the lease",
    plan: { lock: "redlock" },
    keeps: ["mutual-exclusion", "lease-exclusion", "lost-updates"],
    shows: [{ event: "acquire:ok", client: 1 }],
  },
};
