import type { Scenario } from "../scenario.ts";
import { SOURCES } from "./sources.ts";

export const crashNoPersist: Scenario = {
  slug: "crash-no-persist",
  title: "the only node crashes and comes back without the lock",
  source: SOURCES.redisPersistence,
  summary:
    "Client 0 is granted the lock by a node that keeps nothing on disk. The node crashes and starts again, empty. Client 1 " +
    "asks for the lock and is granted it, while client 0's lease has seconds left.",
  plan: {
    lock: "single",
    topology: { kind: "single", persistence: "none" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 10_000,
            waitMs: 0,
            steps: [
              { do: "write" },
              { do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 4000 },
              { do: "write" },
            ],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 10_000,
            waitMs: 6000,
            tries: 40,
            after: { on: "write:ok", client: 0 },
            steps: [{ do: "write" }, { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 2000 }],
          },
        ],
      },
    ],
    faults: [{ kind: "restart-node", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } }],
  },
  expected: { "mutual-exclusion": "invalid", "lease-exclusion": "invalid" },
  cause: "lost-in-restart",
};
