import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const promotedSkewedClock: Scenario = {
  number: 28,
  slug: "promoted-skewed-clock",
  title: "the promoted replica has the lock, and a clock that says it has expired",
  source: SOURCES.redisWait,
  says: "WAIT makes it less likely that a write is lost in a failover; it does not make Redis strongly consistent.",
  summary:
    "The clocks of the replicas are 25 seconds ahead. Client 0 is granted a lease of twenty seconds, and WAIT says that a " +
    "replica has it. The master dies and a replica is promoted; it has the key, and by its own clock the key expired five " +
    "seconds before it was set. Client 1 is granted the lock at once. Nothing was lost on the way, so no acknowledgement helps; a fencing token, which was " +
    "replicated with the lock, does.",
  plan: {
    lock: "replicated",
    topology: { kind: "sentinel" },
    resource: { fencing: false },
    clients: [interruptedHolder(20_000, 12_000), rival({ ttlMs: 20_000, waitMs: 0, tries: 200 })],
    faults: [
      {
        kind: "clock-jump",
        params: { targets: ["node-1", "node-2"], byMs: 25_000 },
        at: { on: "acquire:invoke", client: 0 },
      },
      { kind: "kill-node", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } },
    ],
  },
  expected: {
    "mutual-exclusion": "clock-jump",
    "lease-exclusion": "clock-jump",
    "lost-updates": ["stale-accepted"],
  },
  control: {
    by: "a fencing token, which the resource checks",
    plan: { resource: { fencing: true } },
    keeps: ["fencing-tokens", "stale-writes", "lost-updates"],
    shows: [{ event: "write:fail", client: 0 }],
  },
};
