import { interruptedHolder, rival } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const clockForward: Scenario = {
  number: 20,
  slug: "clock-forward",
  title: "the server's clock steps forward, and the lease is over early",
  source: SOURCES.redisExpire,
  says: "Redis expires keys by the computer's clock, so keys can be gone as soon as that clock is set forward.",
  summary:
    "Client 0 is granted a lease of ten seconds. The server's wall clock steps forward by twenty. The key expires " +
    "at once, client 1 is granted the lock, and client 0, whose own clock is right, writes within the lease that it " +
    "was granted. Neither an append-only file nor WAIT helps: the key was not lost, it expired. The resource can " +
    "refuse client 0's write by its fencing token.",
  plan: {
    lock: "single",
    topology: { kind: "single" },
    clients: [interruptedHolder(10_000), rival({ ttlMs: 10_000, waitMs: 6000, tries: 3 })],
    faults: [{ kind: "clock-jump", params: { targets: ["node-0"], byMs: 20_000 }, at: { on: "write:ok", client: 0 } }],
  },
  expected: { "mutual-exclusion": "clock-jump", "lease-exclusion": "clock-jump", "lost-updates": "clock-jump" },
  control: {
    by: "a fencing token, which the resource checks",
    plan: { lock: "fenced" },
    keeps: ["fencing-tokens", "stale-writes", "lost-updates"],
    shows: [{ event: "write:fail", client: 0 }],
  },
};
