import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const delayedWrite: Scenario = {
  number: 7,
  slug: "delayed-write",
  title: "a write is sent in time and arrives when the lock is somebody else's",
  source: SOURCES.chubby,
  says: "A request sent under a lock can arrive after the lock has passed on, so a lock needs a sequencer, or at least a delay.",
  summary:
    "Client 0 sends its write well within its lease and never stops executing, but the network holds the write. The " +
    "lease ends, client 1 is granted the lock, reads and writes. Then client 0's write arrives and overwrites " +
    "client 1's. Nobody looked at a clock at the wrong moment: the delay is in the network. The resource must check " +
    "a fencing token; a server that withholds an expired lock for a while makes this rarer.",
  plan: {
    lock: "single",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "read" }, { do: "write" }] }] },
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
    ],
    faults: [
      {
        kind: "stall",
        params: { between: [["client-0"], ["resource"]], oneWay: true },
        at: { on: "write:invoke", client: 0 },
        until: { on: "write:ok", client: 1 },
      },
    ],
  },
  expected: { "lease-exclusion": "valid", "lost-updates": "overrun" },
  control: {
    by: "a fencing token, which the resource checks",
    plan: { lock: "fenced" },
    keeps: ["lease-exclusion", "fencing-tokens", "stale-writes", "lost-updates"],
    shows: [{ event: "write:fail", client: 0 }],
  },
};
