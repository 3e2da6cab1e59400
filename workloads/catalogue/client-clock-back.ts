import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const clientClockBack: Scenario = {
  number: 35,
  slug: "client-clock-back",
  title: "the client's clock steps back while it acquires, and an expired lease looks new",
  source: SOURCES.antirez,
  says: "Redlock must measure the time that an acquisition took with a clock that cannot be stepped.",
  summary:
    "Client 0 asks five nodes, and the answers take two seconds, longer than the lease. Meanwhile its wall clock " +
    "steps back by two and a half seconds. By that clock the acquisition took less than no time, so the lock is " +
    "granted, for longer than it was asked for, although every key has expired. Client 1 is granted it too. A " +
    "monotonic clock cannot be stepped.",
  plan: {
    lock: "wall-clock-lease",
    topology: { kind: "redlock" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 1500,
            waitMs: 0,
            tries: 100,
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 1000 },
              { do: "write" },
            ],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 1500,
            waitMs: 0,
            after: { on: "acquire:invoke", client: 0, afterMs: 500 },
            steps: [],
          },
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 3000,
            after: { on: "acquire:invoke", client: 0, afterMs: 2500 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 3000 },
            ],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "latency",
        params: { between: [["nodes"], ["client-0"]], oneWay: true, delayMs: 2000 },
        at: { on: "acquire:invoke", client: 0 },
        until: { on: "acquire:invoke", client: 0, afterMs: 4000 },
      },
      {
        kind: "clock-jump",
        params: { targets: ["client-0"], byMs: -2500 },
        at: { on: "fault:start", fault: 0, afterMs: 300 },
      },
    ],
  },
  expected: { "lease-exclusion": "clock-jump" },
  control: {
    by: "a monotonic clock",
    plan: { lock: "redlock" },
    keeps: ["lease-exclusion", "mutual-exclusion"],
  },
};
