import type { Config } from "lockstorm";

/** Defaults of `npx lockstorm hunt` in this folder. Flags and LOCKSTORM_... variables override them. */
export default {
  lock: "./my-lock.ts",
  // Or "sentinel"; or "redlock", five independent masters.
  topology: "single",
  // Faults that a sound lock survives on one server. Add restart-node or clock-jump to see what they do to your lock.
  faults: ["pause-client", "kill-client", "partition", "latency", "stall", "reset", "pause-node"],
  // By default a run must keep the properties that a lock can promise: lease-exclusion, owner-release and others. A client that
  // is stopped for longer than its lease breaks mutual-exclusion with any lock; who asks for it all the same writes
  // require: ["mutual-exclusion"],
  // How many plans to run; without this, 1000 in simulation and 20 in real time (--backend live and containers).
  // runs: 1000,
  // In seconds.
  budget: 120,
} satisfies Config;
