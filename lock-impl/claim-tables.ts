import type { FaultEffect } from "../harness/core/fault-traits.ts";
import { topologyOf, type TopologyKind } from "../harness/core/topologies/registry.ts";
import type { Property } from "../harness/core/verdict.ts";
import { type Claim, DISK_LOSS, type Limit, type Persistence } from "./claims.ts";

/** The client dies or stops; its lease expires, and its later actions are an overrun. */
const CLIENT: readonly FaultEffect[] = ["kills-client", "pauses-client"];
/** The same as `SILENT`, and no message between servers is late: they see each other as ever. */
const SILENT_TO_CLIENTS: readonly FaultEffect[] = ["holds-client-messages"];
/** Requests and replies come late, never, or after the client gave up. */
const SILENT: readonly FaultEffect[] = ["holds-messages", ...SILENT_TO_CLIENTS];
const LINK: readonly FaultEffect[] = [...SILENT, "resets-connections"];
/** The server stops and keeps everything it knows. */
const FROZEN: readonly FaultEffect[] = ["pauses-node"];
/** The server dies and comes back with its disk. */
const CRASH: readonly FaultEffect[] = ["kills-node", "loses-memory"];
/** Losses of acknowledged writes, when a server dies. */
const LOSS: readonly FaultEffect[] = ["loses-unsynced", "loses-disk"];
const CLOCK: readonly FaultEffect[] = ["steps-clock", "steps-client-clock", "changes-clock-rate"];
/** An operator has a replica promoted. */
const FAILOVER: readonly FaultEffect[] = ["promotes-replica", "loses-unreplicated"];

const ON_DISK: readonly Persistence[] = ["everysec", "always"];
const SYNCED: readonly Persistence[] = ["always"];

/** The properties that fencing tokens protect. */
const TOKEN_PROPERTIES = ["fencing-tokens", "stale-writes"] as const;

const owned = "each delete and extension compares the owner value in the same step";
const checkedByResource = "the resource itself rejects smaller fencing tokens, and equal ones of another owner";
const late =
  "the lease's clock starts before the request is sent; a late request can only leave an orphan that expires";

/** Lease exclusion on servers that are independent of each other: `single`, `redlock`. */
function leaseClaims(
  topology: TopologyKind,
  property: Property = "lease-exclusion",
  further: readonly FaultEffect[] = [],
): readonly Claim[] {
  const calm: readonly FaultEffect[] = [...CLIENT, ...LINK, ...FROZEN, ...further];
  const written = "with an append-only file the grant is written before it is acknowledged, so SIGKILL keeps it";
  const synced = "with appendfsync always the grant is on disk before it is acknowledged";
  return [
    { property, topology, under: calm, because: late },
    { property, topology, under: [...calm, ...CRASH], persistence: ON_DISK, because: written },
    { property, topology, under: [...calm, ...CRASH, "loses-unsynced"], persistence: SYNCED, because: synced },
  ];
}

/** What every lock with a lease and owner-checked scripts promises on independent servers. */
export function soundLease(topology: TopologyKind): readonly Claim[] {
  const noRewind: readonly FaultEffect[] = [
    ...CLIENT,
    ...LINK,
    ...FROZEN,
    ...CRASH,
    "loses-disk",
    ...CLOCK,
    "loses-keys",
  ];
  const noClock: readonly FaultEffect[] = [...CLIENT, ...LINK, ...FROZEN, ...CRASH, ...LOSS, "loses-keys"];
  const expiring = "every lock has an expiry from the moment it exists";
  return [
    ...leaseClaims(topology),
    ...leaseClaims(topology, "linearizability"),
    { property: "owner-release", topology, under: noRewind, because: owned },
    // Not together with clock steps: an old disk image and a clock that steps back together revive an expired lock.
    { property: "owner-release", topology, under: noClock, because: owned },
    { property: "deadlock-freedom", topology, under: noClock, because: expiring },
  ];
}

/** What a lock adds whose leases do not rest on the wall clocks of its clients. */
function leaseByServers(topology: TopologyKind): readonly Claim[] {
  const properties = ["lease-exclusion", "linearizability"] as const;
  return properties.flatMap((property) => leaseClaims(topology, property, ["steps-client-clock"]));
}

/**
 * The same behind Sentinels. Any fault that can make them promote a replica can lose the grant, since replication does
 * not wait. So this covers only faults that leave the master where it is.
 */
export function soundLeaseBehindSentinel(topology: TopologyKind = "sentinel"): readonly Claim[] {
  const quiet: readonly FaultEffect[] = [...CLIENT, ...SILENT_TO_CLIENTS, "resets-connections"];
  const because = `${late}; no replica is promoted`;
  return [
    { property: "lease-exclusion", topology, under: quiet, because },
    { property: "linearizability", topology, under: quiet, because },
    { property: "owner-release", topology, under: quiet, because: `${owned}; there is one master` },
    {
      property: "deadlock-freedom",
      topology,
      under: [...quiet, ...FAILOVER],
      because: "a promoted replica expires it too",
    },
  ];
}

/** What a lock adds that takes several keys in one step, and gives them back in one. */
export function soundSeveralKeys(topology: TopologyKind): readonly Claim[] {
  const because = "one step takes all keys or none, and one step gives them back";
  return [{ property: "all-or-nothing", topology, under: [...CLIENT, ...LINK, ...FROZEN, ...CRASH], because }];
}

/** What a lock adds that has a queue. Only what comes before the first fault is judged. */
export function soundQueue(topology: TopologyKind): readonly Claim[] {
  const because = "one step decides who is first in the queue, and grants nobody else";
  return [{ property: "first-come-first-served", topology, under: [...CLIENT, ...LINK, ...FROZEN, ...CRASH], because }];
}

/** What a fencing token from a counter beside the lock adds. */
export function soundFence(topology: TopologyKind): readonly Claim[] {
  const clock = "the counter depends on no clock, and is incremented in the step that takes the lock";
  const stored = "the counter survives with the disk";
  const replicated = topologyOf(topology).arrangement === "replicated";
  const alive: readonly FaultEffect[] = replicated
    ? [...CLIENT, ...SILENT_TO_CLIENTS, "resets-connections", "changes-clock-rate"]
    : [...CLIENT, ...LINK, ...FROZEN, ...CLOCK];
  const onDisk: readonly FaultEffect[] = [...alive, ...CRASH];
  return TOKEN_PROPERTIES.flatMap((property): readonly Claim[] => {
    const because = property === "fencing-tokens" ? clock : `${checkedByResource}, and accepts the rightful holder's`;
    const calm: Claim = { property, topology, under: alive, because };
    if (replicated) return [calm];
    return [
      calm,
      { property, topology, under: onDisk, persistence: ON_DISK, because: stored },
      { property, topology, under: [...onDisk, "loses-unsynced"], persistence: SYNCED, because: stored },
    ];
  });
}

/**
 * What any sound lock on this topology can promise; an undescribed lock is judged by it. It leaves out what some locks
 * promise in addition, by renewal, delayed restarts or a quorum of replicas. It promises nothing under faults that take
 * a granted lease from every lock there, such as a failover or a jump of a server's clock.
 * @param assumesClientClocks whether the lock may rest on clocks of clients that do not jump
 */
export function promisable(topology: TopologyKind, assumesClientClocks = true): readonly Claim[] {
  const { server, arrangement, holdsEndWithConnection } = topologyOf(topology);
  if (server === "redis") {
    const further = [...soundSeveralKeys(topology), ...soundQueue(topology)];
    if (arrangement === "replicated")
      return [...soundLeaseBehindSentinel(topology), ...soundFence(topology), ...further];
    const fence = arrangement === "one-server" ? soundFence(topology) : quorumFence(topology);
    const lease = assumesClientClocks ? [] : leaseByServers(topology);
    return [...soundLease(topology), ...lease, ...fence, ...further];
  }
  // A lock may depend on its session, and the session on its connection.
  const calm: readonly FaultEffect[] =
    holdsEndWithConnection === true ? ["pauses-client", ...SILENT, ...FROZEN] : [...CLIENT, ...LINK, ...FROZEN];
  const properties: readonly Property[] = [
    "lease-exclusion",
    "fencing-tokens",
    "owner-release",
    "deadlock-freedom",
    "linearizability",
    "all-or-nothing",
    "first-come-first-served",
  ];
  return [
    ...properties.map((property) => ({ property, topology, under: calm, because: late })),
    { property: "stale-writes", topology, under: calm, because: checkedByResource },
  ];
}

/**
 * What any sound lock on this topology can promise whose holders keep it until they release it: no pause and no clock ends a
 * hold, so that none is outlived. It does not promise that a lock becomes free by itself.
 */
export function promisableWithoutLeases(topology: TopologyKind): readonly Claim[] {
  const all = promisable(topology);
  const { server, arrangement } = topologyOf(topology);
  if (server !== "redis") return all;
  // Behind Sentinels a clock that jumps can have a replica promoted.
  const clocks = arrangement === "replicated" ? [] : CLOCK;
  const because = "a holder keeps the lock until it releases it";
  // What a server forgets may be a release, too: then nobody ever releases the key again.
  const kept = ["mutual-exclusion", "lease-exclusion", "linearizability", "deadlock-freedom"] as const;
  const holds = all.filter(({ property }) => property === "lease-exclusion");
  return [
    ...all.filter(({ property }) => !kept.some((each) => each === property)),
    ...kept.flatMap((property) =>
      holds.map((claim) => ({ ...claim, property, under: [...claim.under, ...clocks], because })),
    ),
  ];
}

/**
 * What renewal with a local deadline adds: a holder either has its lease or is told before the lease ends that it lost
 * it. Only a client that does not run at all (`pause-client`) cannot be told.
 */
export function soundRenewal(): readonly Claim[] {
  const topology = "single";
  const running: readonly FaultEffect[] = ["kills-client", ...LINK, ...FROZEN];
  const told =
    "renewed every third of its lease; the holder is notified a tenth of the lease before it ends if no renewal succeeds";
  const property = "mutual-exclusion";
  return [
    { property, topology, under: running, because: told },
    { property, topology, under: [...running, ...CRASH], persistence: ON_DISK, because: told },
    { property, topology, under: [...running, ...CRASH, "loses-unsynced"], persistence: SYNCED, because: told },
    {
      property: "lost-updates",
      topology,
      under: ["kills-client", ...FROZEN],
      because: "no two holders, and no late write",
    },
    {
      property,
      topology: "sentinel",
      under: ["kills-client", "resets-connections"],
      because: `${told}; no replica is promoted`,
    },
  ];
}

/**
 * What delayed restarts add: every lease that a server forgot had ended before it took part again. Needs sound clocks.
 */
export function delayedRestart(): readonly Claim[] {
  const under: readonly FaultEffect[] = [...CLIENT, ...LINK, ...FROZEN, ...CRASH, ...LOSS];
  const because = "a server takes part only after every lease that it may have forgotten is over";
  return [
    { property: "lease-exclusion", topology: "redlock", under, because },
    { property: "linearizability", topology: "redlock", under, because },
  ];
}

/**
 * What is left of the promises of a lease when each client chooses a key's server by which servers it can reach: only
 * those that do not depend on all clients choosing the same server.
 */
export function reroutedLease(): readonly Claim[] {
  const topology = "redlock";
  const because = "as long as all clients reach the same servers, a key has one home";
  const exclusive: readonly Property[] = ["lease-exclusion", "linearizability"];
  return [
    ...exclusive.map((property) => ({ property, topology, under: ["kills-client"], because }) as const),
    ...soundLease(topology).filter(({ property }) => !exclusive.includes(property)),
  ];
}

/** Faults that make one client, and not another, stop waiting for a server: the key then has two homes. */
export function reroutedLimits(): readonly Limit[] {
  const topology = "redlock";
  const source = "twemproxy, auto_eject_hosts: right for a cache, wrong for a store";
  const apart = { property: "lease-exclusion", topology, cause: "double-grant", source } as const;
  return [
    ...(["partition", "stall", "latency", "reset", "pause-node", "kill-node", "pause-client"] as const).map(
      (under) => ({
        ...apart,
        under,
      }),
    ),
    ...leaseLimits(topology),
  ];
}

/** What its author would claim of a fencing token made of several servers' counters. The claim is false. */
export function quorumFence(topology: TopologyKind = "redlock"): readonly Claim[] {
  return TOKEN_PROPERTIES.map((property) => ({
    property,
    topology,
    under: [...CLIENT, ...LINK, ...FROZEN],
    because: "any two majorities share a server",
  }));
}

/** What a bare key without an expiry promises: the holder keeps the lock until it releases it. */
export function bareKeyClaims(topology: "single"): readonly Claim[] {
  const forever = "the key is there until its holder deletes it";
  const under: readonly FaultEffect[] = [...CLIENT, ...LINK, ...FROZEN, ...CLOCK];
  return [
    { property: "mutual-exclusion", topology, under, because: forever },
    { property: "lease-exclusion", topology, under, because: forever },
    { property: "owner-release", topology, under, because: "no other client can have it before it is deleted" },
    {
      property: "deadlock-freedom",
      topology,
      under: [...CLIENT, ...LINK],
      because: "the author relies on finally to release",
    },
  ];
}

/** How leases on one server are broken: what a lock without renewal or a quorum does not promise. */
export function leaseLimits(topology: TopologyKind): readonly Limit[] {
  const overrun = { property: "mutual-exclusion", topology, cause: "overrun" } as const;
  const everywhere: readonly Limit[] = [
    { ...overrun, under: "none", source: "a hold longer than its lease" },
    { ...overrun, under: "pause-client", source: "pause-past-lease; Kleppmann 2016" },
  ];
  const { arrangement } = topologyOf(topology);
  if (arrangement === "replicated") return [...everywhere, ...sentinelLimits(topology)];
  const lost = { property: "lease-exclusion", topology } as const;
  return [
    ...everywhere,
    {
      ...lost,
      under: "clock-jump",
      cause: "clock-jump",
      source: arrangement === "one-server" ? "clock-forward" : "node-clock-jump",
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
 * The limits of a lock that renews its lease every third of it: a renewed hold outlasts one lease, and only a clock
 * that runs three times too fast makes the lease end early.
 */
export function renewedLimits(limits: readonly Limit[]): readonly Limit[] {
  return limits.filter(
    ({ property, under, cause }) => (property !== "mutual-exclusion" || under !== "none") && cause !== "clock-rate",
  );
}

/** The limits of a hold without an expiry: no lease ends it, and no clock does. */
export function endlessLimits(limits: readonly Limit[]): readonly Limit[] {
  return limits.filter(({ under, cause }) => under !== "none" && cause !== "clock-jump" && cause !== "clock-rate");
}

function restartScenario(topology: TopologyKind): string {
  return topologyOf(topology).arrangement === "independent" ? "crash-no-fsync" : "crash-no-persist";
}

function sentinelLimits(topology: TopologyKind): readonly Limit[] {
  const lost = { property: "lease-exclusion", topology, cause: "lost-in-failover" } as const;
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
export function fenceLimits(topology: TopologyKind): readonly Limit[] {
  const limit = { property: "fencing-tokens", topology, cause: "token-rollback" } as const;
  if (topologyOf(topology).arrangement === "replicated") {
    return [{ ...limit, under: "failover", source: "token-rollback" }];
  }
  return [
    { ...limit, under: "restart-node", source: "crash-no-persist" },
    { ...limit, under: DISK_LOSS, source: "crash-no-persist" },
    { ...limit, under: "eviction", source: "eviction" },
  ];
}
