import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const resourceForgetsMax: Scenario = {
  number: 32,
  slug: "resource-forgets-max",
  title: "the resource forgets the largest fencing token, and takes an old one",
  source: SOURCES.kleppmann,
  says: "The resource must remember the largest fencing token it has processed, and refuse any smaller one.",
  summary:
    "Client 0 holds fencing token 1 and stops executing before it writes. Client 1 writes with token 2. The resource keeps the " +
    "largest token in memory only, is started again, and has forgotten it. Client 0 wakes up, and its write with token 1 is " +
    "accepted. The largest token must be as durable as the data, and change with them in one step; in the control the " +
    "resource compares versions, which are part of the data.",
  plan: {
    lock: "fenced",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "read" }, { do: "write" }] }] },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 4000,
            waitMs: 4000,
            tries: 3,
            after: { on: "acquire:ok", client: 0 },
            steps: [{ do: "read" }, { do: "write" }],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "pause-client",
        params: { targets: ["client-0"] },
        at: { on: "write:invoke", client: 0 },
        until: { on: "fault:start", fault: 1 },
      },
      { kind: "forget-fences", params: {}, at: { on: "write:ok", client: 1 } },
    ],
  },
  expected: {
    "fencing-tokens": "valid",
    "stale-writes": "stale-accepted",
    "lost-updates": "stale-accepted",
  },
  control: {
    by: "compare and set: the version is part of the data",
    plan: { resource: { fencing: true, versions: true } },
    keeps: ["fencing-tokens", "stale-writes", "lost-updates"],
    shows: [{ event: "write:fail", client: 0 }],
  },
};
