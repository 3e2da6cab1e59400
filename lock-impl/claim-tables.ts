import { type Claim, DISK_LOSS, type Limit, type Persistence, type TopologyName } from "./claims.ts";

// Kinds of faults by what they do to a lock.
/** The client dies or stops; its lock expires, and what it does later is an overrun. */
const CLIENT = ["kill-client", "pause-client"];
/** Requests and replies come late, never, or after the client gave up. */
const LINK = ["partition", "latency", "stall", "reset"];
/** The server stops, with all it knows. */
const FROZEN = ["pause-node"];
/** The server dies and comes back with its disk. */
const CRASH = ["kill-node", "restart-node"];
/** Losses of acknowledged writes. */
const LOSS = ["power-loss", DISK_LOSS];
const CLOCK = ["clock-jump", "clock-rate"];
const ALL = [...CLIENT, ...LINK, ...FROZEN, ...CRASH, ...LOSS, ...CLOCK, "failover", "eviction"];

const ON_DISK: readonly Persistence[] = ["everysec", "always"];
const SYNCED: readonly Persistence[] = ["always"];

const owned = "each delete and extension compares the owner value in the same step";
const late =
  "the lease's clock starts before the request is sent; a late request can only leave an orphan that expires";

/** Lease exclusion where the servers are independent of each other: `single`, `redlock`. */
function leaseClaims(topology: TopologyName, property = "lease-exclusion"): readonly Claim[] {
  const calm = [...CLIENT, ...LINK, ...FROZEN];
  const written = "with an append-only file the grant is written before it is acknowledged, so SIGKILL keeps it";
  const synced = "with appendfsync always the grant is on disk before it is acknowledged";
  return [
    { property, topology, under: calm, because: late },
    { property, topology, under: [...calm, ...CRASH], persistence: ON_DISK, because: written },
    { property, topology, under: [...calm, ...CRASH, "power-loss"], persistence: SYNCED, because: synced },
  ];
}

/** What every lock with a lease and owner-checked scripts promises on independent servers. */
export function soundLease(topology: "single" | "redlock"): readonly Claim[] {
  const noRewind = [...CLIENT, ...LINK, ...FROZEN, ...CRASH, DISK_LOSS, ...CLOCK, "eviction"];
  const noClock = [...CLIENT, ...LINK, ...FROZEN, ...CRASH, ...LOSS, "eviction"];
  const expiring = "every lock has an expiry from the moment it exists";
  return [
    ...leaseClaims(topology),
    ...leaseClaims(topology, "linearizability"),
    { property: "owner-release", topology, under: noRewind, because: owned },
    // Not together with clock steps: a disk that goes back and a clock that goes back revive an expired lock.
    { property: "owner-release", topology, under: noClock, because: owned },
    { property: "deadlock-freedom", topology, under: noClock, because: expiring },
  ];
}

/**
 * The same behind Sentinels. Whatever can make them promote a replica can lose the grant, since replication does not
 * wait: so only faults that leave the master where it is.
 */
export function soundLeaseBehindSentinel(): readonly Claim[] {
  const topology = "sentinel";
  const quiet = [...CLIENT, "reset"];
  const because = `${late}; no replica is promoted`;
  return [
    { property: "lease-exclusion", topology, under: quiet, because },
    { property: "linearizability", topology, under: quiet, because },
    { property: "owner-release", topology, under: quiet, because: `${owned}; there is one master` },
    {
      property: "deadlock-freedom",
      topology,
      under: [...quiet, "failover"],
      because: "a promoted replica expires it too",
    },
  ];
}

/** What a fencing token from a counter beside the lock adds. */
export function soundFence(topology: "single" | "sentinel"): readonly Claim[] {
  const property = "fencing-tokens";
  const clock = "the counter does not depend on any clock, and is incremented in the step that wins";
  const stored = "the counter survives with the disk";
  const alive = topology === "single" ? [...CLIENT, ...LINK, ...FROZEN, ...CLOCK] : [...CLIENT, "reset", "clock-rate"];
  const surviving: readonly Claim[] =
    topology === "sentinel"
      ? []
      : [
          { property, topology, under: [...alive, ...CRASH], persistence: ON_DISK, because: stored },
          { property, topology, under: [...alive, ...CRASH, "power-loss"], persistence: SYNCED, because: stored },
        ];
  return [
    { property, topology, under: alive, because: clock },
    ...surviving,
    {
      property: "stale-writes",
      topology,
      under: ALL,
      because: "the resource itself refuses lower tokens and equal ones of another owner, whatever the lock does",
    },
  ];
}

/**
 * What renewal with a local deadline adds: a holder either has its lease or has been told, before the lease ends, that it
 * lost it. Only a client that does not run at all (`pause-client`) cannot be told.
 */
export function soundRenewal(): readonly Claim[] {
  const topology = "single";
  const running = ["kill-client", ...LINK, ...FROZEN];
  const told = "renewed each third of its lease; told a tenth of the lease before it ends when no renewal succeeds";
  const property = "mutual-exclusion";
  return [
    { property, topology, under: running, because: told },
    { property, topology, under: [...running, ...CRASH], persistence: ON_DISK, because: told },
    { property, topology, under: [...running, ...CRASH, "power-loss"], persistence: SYNCED, because: told },
    {
      property: "lost-updates",
      topology,
      under: ["kill-client", ...FROZEN],
      because: "no two holders, and no late write",
    },
    { property, topology: "sentinel", under: ["kill-client", "reset"], because: `${told}; no replica is promoted` },
  ];
}

/** What delayed restarts add: whatever a server forgot was over before it took part again. Needs sound clocks. */
export function delayedRestart(): readonly Claim[] {
  const under = [...CLIENT, ...LINK, ...FROZEN, ...CRASH, ...LOSS];
  const because = "a server takes part only when every lease that it may have forgotten is over";
  return [
    { property: "lease-exclusion", topology: "redlock", under, because },
    { property: "linearizability", topology: "redlock", under, because },
  ];
}

/**
 * What is left of the promises of a lease when each client chooses the server of a key by what it can reach: only those
 * that do not depend on all clients choosing the same one.
 */
export function reroutedLease(): readonly Claim[] {
  const topology = "redlock";
  const because = "as long as all clients reach the same servers, a key has one home";
  const exclusive = ["lease-exclusion", "linearizability"];
  return [
    ...exclusive.map((property) => ({ property, topology, under: ["kill-client"], because }) as const),
    ...soundLease(topology).filter(({ property }) => !exclusive.includes(property)),
  ];
}

/** Whatever lets one client, and not another, give up waiting for a server: the key then has two homes. */
export function reroutedLimits(): readonly Limit[] {
  const topology = "redlock";
  const source = "twemproxy, auto_eject_hosts: right for a cache, wrong for a store";
  const apart = { property: "lease-exclusion", topology, cause: "double-grant", source } as const;
  return [
    ...["partition", "stall", "latency", "reset", "pause-node", "kill-node", "pause-client"].map((under) => ({
      ...apart,
      under,
    })),
    ...leaseLimits(topology),
  ];
}

/** What its author would say of a fencing token made of several servers' counters. It is not so. */
export function quorumFence(): readonly Claim[] {
  return ["fencing-tokens", "stale-writes"].map((property) => ({
    property,
    topology: "redlock",
    under: [...CLIENT, ...LINK, ...FROZEN],
    because: "any two majorities share a server",
  }));
}

/** What a bare key without an expiry promises: whoever has it has it until it says so. */
export function bareKeyClaims(topology: "single"): readonly Claim[] {
  const forever = "the key is there until its holder deletes it";
  const under = [...CLIENT, ...LINK, ...FROZEN, ...CLOCK];
  return [
    { property: "mutual-exclusion", topology, under, because: forever },
    { property: "lease-exclusion", topology, under, because: forever },
    { property: "owner-release", topology, under, because: "nobody else can have it before it was deleted" },
    { property: "deadlock-freedom", topology, under: [...CLIENT, ...LINK], because: "its author believes in finally" },
  ];
}

/** How leases on one server are broken: what a lock without renewal or quorum does not promise. */
export function leaseLimits(topology: TopologyName): readonly Limit[] {
  const overrun = { property: "mutual-exclusion", topology, cause: "overrun" } as const;
  const everywhere: readonly Limit[] = [
    { ...overrun, under: "none", source: "a hold longer than its lease" },
    { ...overrun, under: "pause-client", source: "pause-past-lease; Kleppmann 2016" },
  ];
  if (topology === "sentinel") return [...everywhere, ...sentinelLimits()];
  const lost = { property: "lease-exclusion", topology } as const;
  return [
    ...everywhere,
    {
      ...lost,
      under: "clock-jump",
      cause: "clock-jump",
      source: topology === "single" ? "clock-forward" : "node-clock-jump",
    },
    { ...lost, under: "clock-rate", cause: "clock-rate", source: "clock-rate-skew" },
    { ...lost, under: "kill-node", cause: "lost-in-restart", source: restartScenario(topology) },
    { ...lost, under: "restart-node", cause: "lost-in-restart", source: restartScenario(topology) },
    { ...lost, under: DISK_LOSS, cause: "lost-in-restart", source: restartScenario(topology) },
    { ...lost, under: "power-loss", cause: "lost-in-restart", source: "everysec-power-loss" },
    { ...lost, under: "eviction", cause: "eviction", source: "eviction" },
  ];
}

/**
 * The limits of a lock that renews its lease every third of it: a hold can last, and only a clock three times too fast
 * outruns it.
 */
export function renewedLimits(limits: readonly Limit[]): readonly Limit[] {
  return limits.filter(
    ({ property, under }) => (property !== "mutual-exclusion" || under !== "none") && under !== "clock-rate",
  );
}

function restartScenario(topology: TopologyName): string {
  return topology === "redlock" ? "crash-no-fsync" : "crash-no-persist";
}

function sentinelLimits(): readonly Limit[] {
  const lost = { property: "lease-exclusion", topology: "sentinel", cause: "lost-in-failover" } as const;
  return [
    { ...lost, under: "failover", source: "async-failover" },
    { ...lost, under: "kill-node", source: "async-failover" },
    { ...lost, under: "pause-node", source: "stale-master-after-heal" },
    { ...lost, under: "partition", source: "sentinel-split-brain" },
    { ...lost, under: "clock-jump", cause: "clock-jump", source: "promoted-skewed-clock" },
    { ...lost, under: "restart-node", cause: "lost-in-restart", source: "empty-master-restart" },
  ];
}

/** How the fence counter beside the lock is lost. */
export function fenceLimits(topology: "single" | "sentinel"): readonly Limit[] {
  const limit = { property: "fencing-tokens", topology, cause: "token-rollback" } as const;
  if (topology === "sentinel") return [{ ...limit, under: "failover", source: "token-rollback" }];
  return [
    { ...limit, under: "restart-node", source: "crash-no-persist" },
    { ...limit, under: DISK_LOSS, source: "crash-no-persist" },
    { ...limit, under: "eviction", source: "eviction" },
  ];
}
