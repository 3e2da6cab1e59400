/** A term of the reports and documents. */
interface Term {
  readonly word: string;
  readonly meaning: string;
  /** Words that belong to it. */
  readonly see?: readonly string[];
}

/** The terms that are no fault, property, cause, topology, lock or scenario, by the alphabet. */
export const TERMS: readonly Term[] = [
  {
    word: "backend",
    meaning:
      "where a plan runs: simulated (clients, network and servers in virtual time, in one process), live (client processes on simulated servers, in real time) or containers (real servers and processes)",
  },
  {
    word: "catalogue",
    meaning: "schedules that are known to break locks, each with its source; lockstorm reproduce runs them",
    see: ["control", "scenario"],
  },
  {
    word: "cause",
    meaning:
      "why a property was violated; proven, where possible, by running the plan again without the suspected fault or operation",
  },
  { word: "claim", meaning: "what a lock promises: a property, on a topology, under some faults", see: ["limit"] },
  {
    word: "control",
    meaning:
      "the same schedule with one change that makes it harmless, such as another lock; it must hold, or the scenario shows nothing",
    see: ["catalogue"],
  },
  {
    word: "counterexample",
    meaning: "a plan whose run violates a property, shrunk to the steps that the violation needs",
    see: ["shrinking", "plan"],
  },
  {
    word: "deviation",
    meaning: "one fault at one moment, which a systematic search adds to a run without faults",
    see: ["moment"],
  },
  {
    word: "driver",
    meaning: "the object that tells lockstorm how to acquire and release a lock: connect, acquire, release",
  },
  {
    word: "evidence",
    meaning:
      "what was observed of a fault's effect; without evidence a fault is indeterminate, and its run is unknown, never valid",
    see: ["unknown"],
  },
  {
    word: "fencing token",
    meaning:
      "a number that grows with every grant; a resource that refuses a smaller number than it has accepted refuses late writes",
    see: ["fencing-tokens", "stale-writes", "guarded resource"],
  },
  {
    word: "guarded resource",
    meaning: "the data that the lock protects; it records every write, and can check fencing tokens or versions",
    see: ["fencing token"],
  },
  {
    word: "history",
    meaning:
      "the events of a run in order, the only evidence for a verdict; lockstorm check judges a history from any source",
    see: ["operation", "verdict"],
  },
  {
    word: "hold",
    meaning:
      "the time from a grant to the request to release it, or to the client's death; the real hold is at least as long, so holds that overlap in a history did overlap",
    see: ["lease", "mutual-exclusion"],
  },
  { word: "invalid", meaning: "the verdict when the history proves a violation; exit code 1", see: ["verdict"] },
  {
    word: "ladder",
    meaning:
      "locks from bare SETNX to Redlock, each without a flaw of those before it; lockstorm hunt --ladder tests them all",
  },
  {
    word: "lease",
    meaning: "the time for which a grant lasts: the validity that the lock reports, or else the TTL",
    see: ["hold", "lease-exclusion", "overrun"],
  },
  { word: "limit", meaning: "a fault under which a lock is known to break", see: ["claim"] },
  {
    word: "moment",
    meaning:
      "a point in a run at which a fault can strike: an event, or the sending, arrival, execution or reply of a message",
    see: ["trigger"],
  },
  {
    word: "operation",
    meaning: "an acquire, release, extension, read or write: its invocation and, if known, its completion",
    see: ["history"],
  },
  {
    word: "owner value",
    meaning: "the value that a lock writes into its key for each grant, usually random; a release compares it",
    see: ["owner-release"],
  },
  {
    word: "plan",
    meaning: "a run described as data: seed, lock, topology, the steps of each client, the faults and when they strike",
    see: ["schedule", "seed"],
  },
  {
    word: "property",
    meaning: "what must be true of a history, such as mutual-exclusion; the required properties decide the verdict",
    see: ["verdict"],
  },
  {
    word: "regression",
    meaning: "the stored plan of an earlier counterexample; a hunt runs it before new plans",
  },
  { word: "scenario", meaning: "an entry of the catalogue", see: ["catalogue"] },
  {
    word: "schedule",
    meaning: "the order in which clients, servers and faults act; a plan and its seed decide it in simulation",
    see: ["plan"],
  },
  { word: "seed", meaning: "the number that determines everything random in a plan or a run", see: ["plan"] },
  {
    word: "shard",
    meaning: "one part of a campaign; lockstorm merge combines the results of all shards",
  },
  {
    word: "shrinking",
    meaning: "removing and shortening parts of a plan for as long as it still breaks the lock",
    see: ["counterexample"],
  },
  {
    word: "trigger",
    meaning: "when a step of a plan happens: at a time, at the k-th event of a kind, or at the k-th message of a kind",
    see: ["moment"],
  },
  {
    word: "unknown",
    meaning:
      "the verdict when the history does not decide, as when a fault had no visible effect or the run was cut short; exit code 2",
    see: ["evidence", "verdict"],
  },
  { word: "valid", meaning: "the verdict when no required property is violated; exit code 0", see: ["verdict"] },
  {
    word: "validity",
    meaning: "how long the holder may trust a grant, as the lock reports it",
    see: ["lease"],
  },
  { word: "verdict", meaning: "valid, invalid or unknown, with the events that prove it", see: ["property"] },
];
