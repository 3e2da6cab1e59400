import { faults } from "../../faults/registry.ts";
import { findLock } from "../../lock-impl/registry.ts";
import type { Fault } from "../core/fault.ts";
import { UserError } from "../core/errors.ts";
import { TOPOLOGIES, topologySchema, type TopologyKind, type TopologySpec } from "../core/topology.ts";
import type { Backend } from "./backend.ts";
import type { Flag, Flags } from "./command.ts";

export const PERSISTENCE = ["none", "everysec", "always"] as const;
export const FAULT_KINDS = faults.map(({ kind }) => kind);

/** Flags that say what a campaign draws its plans from. */
export const campaignFlags = {
  topology: { value: "topology", help: `${TOPOLOGIES.join(", ")} (default: the lock's first)` },
  persistence: { value: "mode", help: `what the nodes keep on disk: ${PERSISTENCE.join(", ")}`, default: "none" },
  faults: {
    value: "kinds",
    help: `faults to draw from, separated by commas, or none (default: all): ${FAULT_KINDS.join(", ")}`,
  },
} satisfies Record<string, Flag>;

/** The topology asked for, or the lock's first. @throws UserError when the lock does not run on it */
export function readTopology(flags: Flags, lock: string): TopologySpec {
  const chosen = flags.choice("topology", TOPOLOGIES);
  const persistence = flags.choice("persistence", PERSISTENCE) ?? "none";
  const supported: readonly TopologyKind[] = findLock(lock)?.topologies ?? TOPOLOGIES;
  const kind = chosen ?? supported[0] ?? "single";
  if (supported.includes(kind)) return topologySchema.parse({ kind, persistence });
  throw new UserError(`the lock ${lock} does not run on the topology ${kind}`, `choose one of ${supported.join(", ")}`);
}

/**
 * The faults asked for, or all there are on this backend and for this topology.
 * @throws UserError when one was asked for that cannot be had there
 */
export function readFaults(flags: Flags, backend: Backend, topology: TopologySpec): readonly Fault[] {
  if (flags.text("faults") === "none") return [];
  const kinds = flags.list("faults", FAULT_KINDS);
  const wanted = faults.filter(({ kind }) => kinds?.includes(kind) ?? true);
  const inReach = wanted.filter(({ onlyInSimulation }) => backend === "simulated" || onlyInSimulation !== true);
  const possible = inReach.filter((fault) => fault.lack?.(topology) === undefined);
  if (kinds === undefined || possible.length === wanted.length) return possible;
  const [unreachable] = wanted.filter((fault) => !inReach.includes(fault));
  if (unreachable !== undefined)
    throw new UserError(`the fault ${unreachable.kind} cannot be injected on containers`, "leave it out, or simulate");
  const [impossible] = inReach.filter((fault) => !possible.includes(fault));
  throw new UserError(
    `the fault ${impossible?.kind} cannot happen to ${topology.kind}: ${impossible?.lack?.(topology)}`,
    "leave it out",
  );
}
