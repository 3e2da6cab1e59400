import { topologySchema, type TopologySpec } from "../core/topology.ts";
import type { Property } from "../core/verdict.ts";

/** A lock, and the source of the plans for it. */
export interface Hunted {
  readonly lock: string;
  readonly topology: TopologySpec;
  /** Kinds of faults. */
  readonly faults: readonly string[];
  /** Whether the guarded resource refuses old fencing tokens. */
  readonly fencing: boolean;
  /** The longest hold of a client, as a share of its TTL. Default: as in contention plans. */
  readonly maxHoldShare?: number | undefined;
  /** The properties that decide. Default: those that the lock claims under the faults of each plan. */
  readonly required?: readonly Property[];
}

/** A bug that the search must find, and controls that must survive the same search. */
export interface PlantedBug {
  readonly name: string;
  readonly bug: Hunted;
  /** The most plans of one seed to try, for the bug and for each control. */
  readonly runs: number;
  readonly controls: readonly { readonly name: string; readonly hunted: Hunted }[];
}

const topology = (kind: TopologySpec["kind"], persistence: TopologySpec["persistence"] = "none"): TopologySpec =>
  topologySchema.parse({ kind, persistence });

/** The same plans without their faults: nothing in them can break the lock. */
function calm(bug: Hunted): PlantedBug["controls"][number] {
  return { name: "the same without faults", hunted: { ...bug, faults: [] } };
}

const pause: Hunted = {
  lock: "single",
  topology: topology("single"),
  faults: ["pause-client"],
  fencing: false,
  // So short that without a pause no client outlives a lease, extended or not.
  maxHoldShare: 0.2,
  required: ["mutual-exclusion", "lost-updates"],
};
const failover: Hunted = {
  lock: "single",
  topology: topology("sentinel"),
  faults: ["failover"],
  fencing: true,
  required: ["lease-exclusion"],
};
const clockJump: Hunted = {
  lock: "redlock",
  topology: topology("redlock"),
  faults: ["clock-jump"],
  fencing: true,
  required: ["lease-exclusion"],
};
const restart: Hunted = {
  lock: "redlock",
  topology: topology("redlock"),
  faults: ["restart-node"],
  fencing: true,
  required: ["lease-exclusion"],
};

/** Four ways in which a lock on Redis is known to break (Kleppmann 2016; Redis documentation, "Distributed locks"). */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "client paused past its lease, unguarded writes",
    bug: pause,
    runs: 60,
    controls: [
      calm(pause),
      {
        name: "fencing tokens: what fenced claims under pauses",
        hunted: { lock: "fenced", topology: topology("single"), faults: pause.faults, fencing: true },
      },
    ],
  },
  {
    name: "failover to a replica without the grant",
    bug: failover,
    // The moment between a grant and its replication is short.
    runs: 150,
    controls: [
      calm(failover),
      {
        name: "fencing tokens: what fenced claims under failovers",
        hunted: { lock: "fenced", topology: failover.topology, faults: failover.faults, fencing: true },
      },
    ],
  },
  {
    name: "clocks of Redlock nodes jump",
    bug: clockJump,
    runs: 60,
    controls: [
      calm(clockJump),
      {
        name: "fencing tokens: what fenced claims under jumps",
        hunted: { lock: "fenced", topology: topology("single"), faults: clockJump.faults, fencing: true },
      },
    ],
  },
  {
    name: "Redlock nodes restart without persistence",
    bug: restart,
    runs: 60,
    controls: [
      calm(restart),
      {
        name: "disks synced and kept: what redlock-fsync claims",
        hunted: {
          lock: "redlock-fsync",
          topology: topology("redlock", "always"),
          faults: ["kill-node", "power-loss"],
          fencing: true,
        },
      },
    ],
  },
];
