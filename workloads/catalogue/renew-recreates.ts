import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const renewRecreates: Scenario = {
  number: 11,
  slug: "renew-recreates",
  title: "a renewal recreates a lost lock, and hides that another client held it in between",
  source: SOURCES.redisSemaphore175,
  says: "A refresh that acquires an expired lock again tells its holder that nothing has happened.",
  summary:
    "Client 0 reads and stops executing past its lease. Client 1 is granted the lock, writes, and releases. Client " +
    "0 wakes up and extends: the key is gone, so the lock sets it again and reports success. Client 0 goes on as if " +
    "it had held all the time, and overwrites an update that it never saw. No two clients held at once: the " +
    "continuity of the hold was broken. A missing key means that the lock is lost.",
  plan: {
    lock: "extend-recreates",
    topology: { kind: "single" },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: 1000,
            waitMs: 0,
            steps: [{ do: "read" }, { do: "extend", ttlMs: 6000 }, { do: "write" }],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 5000,
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
        at: { on: "extend:invoke", client: 0 },
        until: { on: "release:end", client: 1 },
      },
    ],
  },
  expected: { "lost-updates": "foreign-release", linearizability: "foreign-release" },
  control: {
    by: "a missing key means that the lock is lost",
    plan: { lock: "single" },
    keeps: ["lost-updates", "linearizability"],
    shows: [{ event: "extend:fail", client: 0 }],
  },
};
