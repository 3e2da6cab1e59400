import {
  fenceLimits,
  leaseLimits,
  quorumFence,
  soundFence,
  soundLease,
  soundLeaseBehindSentinel,
  soundRenewal,
} from "./claim-tables.ts";
import type { Limit } from "./claims.ts";
import type { LockEntry } from "./lock-entry.ts";

type Kind = Pick<LockEntry, "topologies" | "mintsFence" | "renews" | "claims" | "limits">;

const leased: Kind = {
  topologies: ["single"],
  mintsFence: false,
  renews: false,
  claims: soundLease("single"),
  limits: leaseLimits("single"),
};
const renewed: Kind = { ...leased, renews: true, claims: [...leased.claims, ...soundRenewal().filter(onOneServer)] };
const fenced: Kind = {
  ...leased,
  mintsFence: true,
  claims: [...leased.claims, ...soundFence("single")],
  limits: [...leased.limits, ...fenceLimits("single")],
};
const quorum: Kind = {
  ...leased,
  topologies: ["redlock"],
  claims: soundLease("redlock"),
  limits: leaseLimits("redlock"),
};
const behindSentinel: Kind = {
  ...leased,
  topologies: ["sentinel"],
  claims: soundLeaseBehindSentinel(),
  limits: leaseLimits("sentinel"),
};

function onOneServer({ topology }: { readonly topology: string }): boolean {
  return topology === "single";
}

/** A specimen: a sound lock of some kind, but for one bug, which shows in `property` under `under` by `cause`. */
function specimen(
  kind: Kind,
  name: string,
  flaw: string,
  shows: Pick<Limit, "property" | "under" | "cause" | "source">,
  load: LockEntry["load"],
): LockEntry {
  const topology = kind.topologies[0] ?? "single";
  return {
    ...kind,
    name,
    title: `flawed: ${flaw}`,
    flaw,
    flawed: true,
    load,
    limits: [{ ...shows, topology }, ...kind.limits],
  };
}

const LE = "lease-exclusion";
const ME = "mutual-exclusion";
const FT = "fencing-tokens";

/** Locks with one deliberate bug each, of kinds seen in the wild. The harness must catch every one. */
export const specimens: readonly LockEntry[] = [
  specimen(
    leased,
    "get-then-set",
    "looks whether the lock is free, then sets it: two can both have seen it free",
    { property: LE, under: "none", cause: "double-grant", source: "check-then-act" },
    async () => (await import("./flawed/get-then-set.ts")).driver,
  ),
  specimen(
    leased,
    "expired-by-timestamp",
    "the value carries the time of expiry; two that both find it past delete each other's lock",
    { property: LE, under: "none", cause: "double-grant", source: "setnx-timestamp-del" },
    async () => (await import("./flawed/expired-by-timestamp.ts")).driver,
  ),
  specimen(
    leased,
    "release-by-clock",
    "unlocks by a plain DEL when its own clock says that the lease lasts; the DEL can arrive later",
    { property: "owner-release", under: "latency", cause: "foreign-release", source: "plain-del" },
    async () => (await import("./flawed/release-by-clock.ts")).driver,
  ),
  specimen(
    leased,
    "ttl-in-seconds",
    "sends whole seconds where milliseconds were asked for",
    { property: LE, under: "none", cause: "double-grant", source: "units" },
    async () => (await import("./flawed/ttl-in-seconds.ts")).driver,
  ),
  specimen(
    leased,
    "timeout-is-success",
    "swallows the time-out of the acquisition and goes on as if it had the lock",
    { property: LE, under: "stall", cause: "unexplained", source: "error-as-success" },
    async () => (await import("./flawed/timeout-is-success.ts")).driver,
  ),
  specimen(
    leased,
    "timeout-is-failure",
    "takes a time-out for proof that nothing was set; without an expiry that lock is never freed",
    { property: "deadlock-freedom", under: "stall", cause: "never-freed", source: "reply-lost-acquire" },
    async () => (await import("./flawed/timeout-is-failure.ts")).driver,
  ),
  specimen(
    leased,
    "extend-recreates",
    "extending a lock that is gone makes it again and reports success",
    { property: "linearizability", under: "none", cause: "foreign-release", source: "renew-recreates" },
    async () => (await import("./flawed/extend-recreates.ts")).driver,
  ),
  specimen(
    leased,
    "extend-set-xx",
    "extends by SET XX PX and so overwrites the next holder's lock",
    { property: "owner-release", under: "none", cause: "foreign-release", source: "renew-set-xx" },
    async () => (await import("./flawed/extend-set-xx.ts")).driver,
  ),
  specimen(
    leased,
    "extend-unchecked",
    "extends by PEXPIRE without looking whose lock it is",
    { property: "owner-release", under: "none", cause: "foreign-release", source: "extend-get-then-pexpire" },
    async () => (await import("./flawed/extend-unchecked.ts")).driver,
  ),
  specimen(
    leased,
    "extend-get-then-pexpire",
    "between GET and PEXPIRE the lock can become another's, and is extended",
    { property: "linearizability", under: "latency", cause: "unexplained", source: "extend-get-then-pexpire" },
    async () => (await import("./flawed/extend-get-then-pexpire.ts")).driver,
  ),
  specimen(
    leased,
    "reentry-by-memory",
    "enters again without asking the server, and unlocks the outer hold with the inner one",
    { property: LE, under: "none", cause: "foreign-release", source: "reentry-miscount" },
    async () => (await import("./flawed/reentry-by-memory.ts")).driver,
  ),
  specimen(
    renewed,
    "watchdog-aggressive",
    "a holder that cannot renew carries on as if it could",
    { property: ME, under: "partition", cause: "overrun", source: "watchdog-silent" },
    async () => (await import("./flawed/watchdog-aggressive.ts")).driver,
  ),
  specimen(
    renewed,
    "watchdog-silent",
    "learns of a loss only from the server; cut off from it, it goes on for ever",
    { property: ME, under: "partition", cause: "overrun", source: "watchdog-silent" },
    async () => (await import("./flawed/watchdog-silent.ts")).driver,
  ),
  specimen(
    renewed,
    "renewal-outlives-unlock",
    "unlocking does not end the renewing, which makes the lock again, held by nobody",
    { property: "deadlock-freedom", under: "none", cause: "never-freed", source: "watchdog-outlives-unlock" },
    async () => (await import("./flawed/renewal-outlives-unlock.ts")).driver,
  ),
  specimen(
    renewed,
    "renewal-late-start",
    "the renewing begins when a first renewal was answered; an unlock before that has nothing to stop",
    { property: "deadlock-freedom", under: "latency", cause: "never-freed", source: "watchdog-outlives-unlock" },
    async () => (await import("./flawed/renewal-late-start.ts")).driver,
  ),
  specimen(
    fenced,
    "lost-wakeup",
    "goes to sleep without trying once more after its subscription is confirmed",
    { property: "deadlock-freedom", under: "latency", cause: "never-freed", source: "lost-wakeup" },
    async () => (await import("./flawed/lost-wakeup.ts")).driver,
  ),
  specimen(
    fenced,
    "fence-before-win",
    "mints the fencing token before it has won",
    {
      property: "linearizability",
      under: "latency",
      cause: "token-rollback",
      source: "two round trips where one is needed",
    },
    async () => (await import("./flawed/fence-before-win.ts")).driver,
  ),
  specimen(
    fenced,
    "fence-reread",
    "reads its fencing token after it has won, when it can be the next holder's",
    { property: FT, under: "latency", cause: "token-rollback", source: "two round trips where one is needed" },
    async () => (await import("./flawed/fence-reread.ts")).driver,
  ),
  specimen(
    fenced,
    "fence-on-release",
    "counts up when it unlocks: a hold that expires leaves its fencing token to the next",
    { property: FT, under: "none", cause: "token-rollback", source: "counter at the wrong end" },
    async () => (await import("./flawed/fence-on-release.ts")).driver,
  ),
  specimen(
    fenced,
    "fence-expires",
    "the fence counter expires like a cache entry, and tokens start at 1 again",
    { property: FT, under: "none", cause: "token-rollback", source: "eviction" },
    async () => (await import("./flawed/fence-expires.ts")).driver,
  ),
  specimen(
    fenced,
    "fence-deleted",
    "unlocking tidies the fence counter away: every hold has token 1",
    { property: FT, under: "none", cause: "token-rollback", source: "tidiness" },
    async () => (await import("./flawed/fence-deleted.ts")).driver,
  ),
  specimen(
    fenced,
    "handoff-same-fence",
    "a lease that is handed on within a process keeps its fencing token: two holds have the same",
    { property: FT, under: "none", cause: "token-rollback", source: "local-handoff" },
    async () => (await import("./flawed/handoff-same-fence.ts")).driver,
  ),
  specimen(
    fenced,
    "fence-wall-clock",
    "the winner's wall clock as fencing token: it can be stepped back",
    { property: FT, under: "clock-jump", cause: "token-rollback", source: "client-clock-back" },
    async () => (await import("./flawed/fence-wall-clock.ts")).driver,
  ),
  specimen(
    behindSentinel,
    "read-from-replica",
    "asks a replica whether the lock is free, and then sets it: replicas lag",
    { property: LE, under: "none", cause: "double-grant", source: "read-from-replica" },
    async () => (await import("./flawed/read-from-replica.ts")).driver,
  ),
  specimen(
    quorum,
    "quorum-of-two",
    "two of five servers are enough: two clients can have two each",
    { property: LE, under: "none", cause: "double-grant", source: "redis.io, Redlock" },
    async () => (await import("./flawed/quorum-of-two.ts")).driver,
  ),
  specimen(
    quorum,
    "no-elapsed-check",
    "counts the votes, not the time they took: a lease that is over is handed out",
    { property: LE, under: "latency", cause: "expired-grant", source: "bad-elapsed-check" },
    async () => (await import("./flawed/no-elapsed-check.ts")).driver,
  ),
  specimen(
    quorum,
    "validity-after-replies",
    "counts the lease from when the replies are in, not from when the requests went out",
    { property: LE, under: "latency", cause: "unexplained", source: "bad-elapsed-check" },
    async () => (await import("./flawed/validity-after-replies.ts")).driver,
  ),
  specimen(
    quorum,
    "drift-ignored",
    "takes all clocks to run equally fast",
    { property: LE, under: "clock-rate", cause: "clock-rate", source: "clock-rate-skew" },
    async () => (await import("./flawed/drift-ignored.ts")).driver,
  ),
  specimen(
    quorum,
    "wall-clock-lease",
    "measures how long it took by the wall clock, which can be stepped back in between",
    { property: LE, under: "clock-jump", cause: "clock-jump", source: "client-clock-back" },
    async () => (await import("./flawed/wall-clock-lease.ts")).driver,
  ),
  specimen(
    { ...quorum, mintsFence: true, claims: [...quorum.claims, ...quorumFence()] },
    "fence-max-of-incr",
    "the largest of the servers' counters as fencing token: a later majority can have a smaller one",
    { property: FT, under: "partition", cause: "token-rollback", source: "redlock-no-fence" },
    async () => (await import("./flawed/fence-max-of-incr.ts")).driver,
  ),
];
