import type { TopologyKind } from "../harness/core/topologies/registry.ts";

/** A lock on the topology that it is measured on. */
export interface Contender {
  readonly lock: string;
  readonly topology: TopologyKind;
}

/** The locks that the headline measurement compares: recipes of the ladder, and libraries from npm. */
export const CONTENDERS: readonly Contender[] = [
  { lock: "single", topology: "single" },
  { lock: "watchdog", topology: "single" },
  { lock: "fenced", topology: "single" },
  { lock: "reference", topology: "single" },
  { lock: "redlock", topology: "redlock" },
  { lock: "redlock4", topology: "redlock" },
  { lock: "redlock5", topology: "redlock" },
  { lock: "redis-semaphore", topology: "single" },
];

/**
 * What the resource checks of a write: nothing; its fencing token, if it has one; or also the version on which the
 * write is based (compare and set).
 */
export const GUARDS = ["nothing", "fencing", "versions"] as const;
export type Guard = (typeof GUARDS)[number];
