/** Periods and limits of a Sentinel, in milliseconds. `SENTINEL DEBUG` changes them, until it is started again. */
export interface Timing {
  infoMs: number;
  pingMs: number;
  /** The interval between two questions to another Sentinel whether the master is down. */
  askMs: number;
  /** Between two hello messages. */
  publishMs: number;
  downAfterMs: number;
  failoverTimeoutMs: number;
  /** A timer that is later than this means that the clock or the process cannot be trusted. */
  tiltTriggerMs: number;
  tiltMs: number;
  replicaReconfigurationMs: number;
  /** A link younger than this is not closed for being silent. */
  minLinkReconnectMs: number;
  electionMs: number;
  scriptRuntimeMs: number;
  scriptRetryMs: number;
}

/** The timing of Redis 8.0's Sentinel. */
export const DEFAULT_TIMING: Readonly<Timing> = {
  infoMs: 10_000,
  pingMs: 1000,
  askMs: 1000,
  publishMs: 2000,
  downAfterMs: 30_000,
  failoverTimeoutMs: 180_000,
  tiltTriggerMs: 2000,
  tiltMs: 30_000,
  replicaReconfigurationMs: 10_000,
  minLinkReconnectMs: 15_000,
  electionMs: 10_000,
  scriptRuntimeMs: 60_000,
  scriptRetryMs: 30_000,
};

/** Names in `SENTINEL DEBUG`, in the order in which it lists them. */
export const TIMING_NAMES: ReadonlyMap<string, keyof Timing> = new Map([
  ["info-period", "infoMs"],
  ["ping-period", "pingMs"],
  ["ask-period", "askMs"],
  ["publish-period", "publishMs"],
  ["default-down-after", "downAfterMs"],
  ["default-failover-timeout", "failoverTimeoutMs"],
  ["tilt-trigger", "tiltTriggerMs"],
  ["tilt-period", "tiltMs"],
  ["slave-reconf-timeout", "replicaReconfigurationMs"],
  ["min-link-reconnect-period", "minLinkReconnectMs"],
  ["election-timeout", "electionMs"],
  ["script-max-runtime", "scriptRuntimeMs"],
  ["script-retry-delay", "scriptRetryMs"],
]);
