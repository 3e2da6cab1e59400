import { type Claim, DISK_LOSS, type Limit, type Persistence } from "../claims.ts";

const topology = "postgres";

/** What leaves the sessions with the server as they are: it only hears nothing, or hears late. */
const SILENCE = ["pause-client", "partition", "latency", "stall", "pause-node"];
/** What ends sessions. */
const ENDS = ["kill-client", "reset"];
const CRASH = ["kill-node", "restart-node"];
const ALL = [...SILENCE, ...ENDS, ...CRASH, "power-loss", DISK_LOSS, "clock-jump"];

/** With asynchronous commit a crash loses the last of what was acknowledged; without any sync only a loss of power does. */
const KEPT_IN_CRASH: readonly Persistence[] = ["none", "always"];
const SYNCED: readonly Persistence[] = ["always"];

const checked: Claim = {
  property: "stale-writes",
  topology,
  under: ALL,
  because: "the resource itself refuses lower tokens and equal ones of another owner, whatever the lock does",
};

/** A row of a table is there whatever becomes of sessions, and as durable as the database. */
export function versionClaims(): readonly Claim[] {
  const calm = [...SILENCE, ...ENDS];
  const kept = "the row is as it was when the server is back: what was committed is in its log";
  const lease = "the lease's clock starts before the request is sent, and one UPDATE compares and sets";
  const surviving = (property: string, under: readonly string[], because: string): readonly Claim[] => [
    { property, topology, under, because },
    { property, topology, under: [...under, ...CRASH], persistence: KEPT_IN_CRASH, because: kept },
    { property, topology, under: [...under, ...CRASH, "power-loss"], persistence: SYNCED, because: kept },
  ];
  return [
    ...surviving("lease-exclusion", calm, lease),
    ...surviving("linearizability", calm, lease),
    ...surviving(
      "fencing-tokens",
      [...calm, "clock-jump"],
      "the version grows by one in the step that wins, and rows are never deleted",
    ),
    ...surviving(
      "owner-release",
      [...calm, "clock-jump"],
      "each release and extension compares owner and version in the same step",
    ),
    {
      property: "deadlock-freedom",
      topology,
      under: [...calm, ...CRASH, "power-loss", DISK_LOSS],
      because: "every lease has an end from the moment it exists",
    },
    checked,
  ];
}

export function versionLimits(): readonly Limit[] {
  return [
    { property: "mutual-exclusion", topology, under: "none", cause: "overrun", source: "a hold longer than its lease" },
    {
      property: "mutual-exclusion",
      topology,
      under: "pause-client",
      cause: "overrun",
      source: "pause-past-lease; Kleppmann 2016",
    },
    {
      property: "lease-exclusion",
      topology,
      under: "clock-jump",
      cause: "clock-jump",
      source: "PostgreSQL documentation, 9.9.5: clock_timestamp() is the wall clock; clock-forward",
    },
    {
      property: "lease-exclusion",
      topology,
      under: "restart-node",
      cause: "lost-in-restart",
      source: "PostgreSQL documentation, 28.4 Asynchronous Commit: persistence everysec",
    },
    { property: "lease-exclusion", topology, under: DISK_LOSS, cause: "lost-in-restart", source: "crash-no-persist" },
    { property: "fencing-tokens", topology, under: DISK_LOSS, cause: "token-rollback", source: "crash-no-persist" },
  ];
}

/**
 * A hold lives and dies with its session. Where a session can end without its client, or in the same moment as for its
 * client, nothing is promised: the next may be granted the lock before the holder is told.
 */
export function forUpdateClaims(): readonly Claim[] {
  const calm = [...SILENCE, "clock-jump"];
  const silent =
    "the server ends a session that is silent for the lease, counted from its last reply by a timer that no step of the clock moves; the holder counts from before its last request";
  return [
    { property: "lease-exclusion", topology, under: calm, because: silent },
    {
      property: "lease-exclusion",
      topology,
      under: CRASH,
      because:
        "no hold outlives the server; its holder, if it runs, sees the connection break before the server is back",
    },
    { property: "linearizability", topology, under: SILENCE, because: silent },
    {
      property: "fencing-tokens",
      topology,
      under: [...SILENCE, ...ENDS, ...CRASH, "power-loss", "clock-jump"],
      because: "minted when the row is locked, by nextval, which no rollback undoes, and on disk before it is used",
    },
    {
      property: "owner-release",
      topology,
      under: ALL,
      because: "a COMMIT ends the session's own transaction and no other",
    },
    {
      property: "deadlock-freedom",
      topology,
      under: [...SILENCE, ...ENDS, ...CRASH, "power-loss", DISK_LOSS],
      because: "a session ends with its connection, with its server, or after it was silent for the lease",
    },
    checked,
  ];
}

export function forUpdateLimits(): readonly Limit[] {
  return [
    {
      property: "mutual-exclusion",
      topology,
      under: "pause-client",
      cause: "overrun",
      source: "pause-past-lease; Kleppmann 2016",
    },
    {
      property: "mutual-exclusion",
      topology,
      under: "partition",
      cause: "overrun",
      source: "PostgreSQL documentation, 19.11.1: the server tells who is no longer reached",
    },
    { property: "fencing-tokens", topology, under: DISK_LOSS, cause: "token-rollback", source: "crash-no-persist" },
  ];
}
