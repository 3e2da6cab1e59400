import type { Config } from "lockstorm";

/** What `npx lockstorm hunt` does here. Flags and LOCKSTORM_... variables go before it. */
export default {
  lock: "./my-lock.ts",
  // Or sentinel, or redlock: five independent masters.
  topology: "single",
  // What a sound lock survives on one server. Add failover, restart-node or clock-jump, and see what they do to yours.
  faults: ["pause-client", "kill-client", "partition", "latency", "stall", "reset", "pause-node"],
  // What a lock can promise, and what decides without this line too. A client that is stopped for longer than its lease
  // breaks mutual-exclusion under any lock.
  require: [
    "lease-exclusion",
    "fencing-tokens",
    "stale-writes",
    "owner-release",
    "deadlock-freedom",
    "linearizability",
  ],
  runs: 1000,
  // Seconds.
  budget: 120,
} satisfies Config;
