import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const watchdogSilent: Scenario = {
  number: 12,
  slug: "watchdog-silent",
  title: "a holder cut off from its lock renews in vain, and works on",
  source: SOURCES.redisson4698,
  says: "When renewals fail because the server cannot be reached, the application is not told, and goes on.",
  summary:
    "Client 0's lock is renewed in the background. The network between client 0 and the lock's server fails; the " +
    "link to the guarded resource works. The renewals time out, and the holder is not told. The lease ends, client " +
    "1 is granted the lock and writes, and client 0 writes too. A holder needs a deadline of its own, which ends " +
    "the hold when no renewal has succeeded.",
  plan: {
    lock: "watchdog-silent",
    topology: { kind: "single" },
    clients: [interruptedHolder(1000), rival({ ttlMs: 8000, waitMs: 7000, tries: 3 })],
    faults: [
      {
        kind: "partition",
        params: { between: [["client-0"], ["node-0"]] },
        at: { on: "write:ok", client: 0 },
        until: { on: "release:invoke", client: 0 },
      },
    ],
  },
  expected: { "mutual-exclusion": "overrun", "lease-exclusion": "valid", "lost-updates": "overrun" },
  control: {
    by: "the holder's own deadline ends the hold",
    plan: { lock: "watchdog" },
    keeps: ["mutual-exclusion", "lease-exclusion", "lost-updates"],
  },
};
