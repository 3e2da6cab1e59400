import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const clockBackward: Scenario = {
  number: 21,
  slug: "clock-backward",
  title: "the server's clock steps back, and a dead client's lock outlives its lease",
  source: SOURCES.redisExpire,
  says: "Redis keeps the absolute time at which a key expires, and compares it with the computer's clock.",
  summary:
    "Client 0 is granted a lease of one second and dies. The server's wall clock steps back by a minute, so the key " +
    "lives for a minute more. Client 1 tries for six seconds and is always refused. Nothing in Redis prevents it. " +
    "Clocks must be slewed, not stepped: in the control the clock runs at half its speed for a second and a half, " +
    "and the lease ends late by less than that.",
  plan: {
    lock: "single",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "write" }, { do: "hold", forMs: 300 }] }] },
      {
        sections: [
          { key: "k1", ttlMs: 1000, waitMs: 6000, after: { on: "write:ok", client: 0 }, steps: [{ do: "write" }] },
        ],
      },
    ],
    faults: [
      { kind: "clock-jump", params: { targets: ["node-0"], byMs: -60_000 }, at: { on: "write:ok", client: 0 } },
      { kind: "kill-client", params: { targets: ["client-0"] }, at: { on: "write:ok", client: 0 } },
    ],
  },
  expected: { "deadlock-freedom": "clock-jump" },
  shows: [{ event: "acquire:fail", client: 1 }],
  control: {
    by: "a clock that is slewed, not stepped",
    plan: {
      faults: [
        {
          kind: "clock-rate",
          params: { targets: ["node-0"], rate: 0.5 },
          at: { on: "write:ok", client: 0 },
          until: { on: "write:ok", client: 0, afterMs: 1500 },
        },
        { kind: "kill-client", params: { targets: ["client-0"] }, at: { on: "write:ok", client: 0 } },
      ],
    },
    keeps: ["deadlock-freedom"],
    shows: [{ event: "acquire:ok", client: 1 }],
    onlyInSimulation: "containers cannot change the speed of a clock",
  },
};
