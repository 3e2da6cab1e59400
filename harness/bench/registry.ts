import type { Benchmark } from "./benchmark.ts";

/** A benchmark as the command knows it, before it is loaded. */
export interface BenchmarkEntry {
  readonly name: string;
  /** One line: what it measures. */
  readonly summary: string;
  /** True for those that `npm run bench` runs when none is named. */
  readonly usual?: true;
  /** True where nothing can be measured without a container engine. */
  readonly needsEngine?: true;
  readonly load: () => Promise<{ readonly benchmark: Benchmark }>;
}

/** Every benchmark, in the order in which they run. */
export const benchmarks: readonly BenchmarkEntry[] = [
  {
    name: "plans",
    summary: "plans per second by topology and size, simulated beside containers",
    usual: true,
    load: () => import("./plans.bench.ts"),
  },
  {
    name: "systems",
    summary: "plans per minute on containers by the number of systems side by side",
    needsEngine: true,
    load: () => import("./systems.bench.ts"),
  },
  {
    name: "search",
    summary: "time and runs to the first counterexample and to the shrunk one; controls",
    usual: true,
    load: () => import("./search.bench.ts"),
  },
  {
    name: "detection",
    summary: "flawed locks: runs and time until each is caught, and how small it shrinks",
    load: () => import("./detection.bench.ts"),
  },
  {
    name: "hunts",
    summary:
      "flawed locks, with the fault not told: runs until a hunt catches each, beside each of its two parts alone",
    load: () => import("./hunts.bench.ts"),
  },
  {
    name: "soundness",
    summary: "sound locks under plans of the default hunt: how often they are accused",
    load: () => import("./soundness.bench.ts"),
  },
  {
    name: "causes",
    summary: "causes of violations checked by taking them away: scenarios, and generated runs of flawed locks",
    load: () => import("../proof/causes.bench.ts"),
  },
  {
    name: "fingerprints",
    summary: "hashes of traces and verdicts of fixed plans, to be compared with another revision's",
    load: () => import("./fingerprints.bench.ts"),
  },
  {
    name: "memory",
    summary: "heap in use over thousands of simulated runs in one process",
    usual: true,
    load: () => import("./memory.bench.ts"),
  },
  {
    name: "speed",
    summary: "processor time of plans of the default hunt, beside another revision's (LOCKSTORM_BEFORE=<folder>)",
    load: () => import("./speed.bench.ts"),
  },
  {
    name: "kernel",
    summary: "the simulation apart from the simulated Redis: events, sockets, clients",
    load: () => import("../simulated/kernel/kernel.bench.ts"),
  },
  {
    name: "lua",
    summary: "a script in the simulated Redis: alone, and from request to reply",
    load: () => import("../simulated/lua/lua.bench.ts"),
  },
  {
    name: "linearizability",
    summary: "judging histories: time an event and peak memory, beside a general search",
    load: () => import("../check/linearizability/linearizability.bench.ts"),
  },
  {
    name: "agreement",
    summary: "the linearizability checker beside a general search on random histories: how often they agree",
    load: () => import("../check/linearizability/agreement.bench.ts"),
  },
  {
    name: "porcupine",
    summary: "the linearizability checker beside Porcupine (needs Go): agreement and time on random histories",
    load: () => import("../check/linearizability/porcupine.bench.ts"),
  },
  {
    name: "histories",
    summary: "judging histories made to be hard: processor time, peak memory, verdict",
    load: () => import("../check/linearizability/histories.bench.ts"),
  },
  {
    name: "startup",
    summary: "starting, ending and renewing each topology in containers",
    needsEngine: true,
    load: () => import("../containers/startup.bench.ts"),
  },
  {
    name: "locks",
    summary: "acquire and release on a real Redis: our locks beside libraries",
    needsEngine: true,
    load: () => import("../../lock-impl/locks.bench.ts"),
  },
  {
    name: "shards",
    summary: "merging the shards of a hunt, up to a thousand: time and memory",
    load: () => import("./growth/shards.bench.ts"),
  },
  {
    name: "store",
    summary: "a store of a hundred thousand runs: listed, drawn, pruned",
    load: () => import("./growth/store.bench.ts"),
  },
  {
    name: "threads",
    summary: "plans per second of a hunt by threads, and by shards side by side",
    load: () => import("./growth/threads.bench.ts"),
  },
];
