import type { Arbitrary } from "fast-check";
import { faults } from "../../../faults/registry.ts";
import { claimedProperties, DISK_LOSS } from "../../../lock-impl/claims.ts";
import { ladder } from "../../../lock-impl/ladder.ts";
import type { LockEntry } from "../../../lock-impl/lock-entry.ts";
import { locks } from "../../../lock-impl/registry.ts";
import { BEYOND_LEASE, contentionPlans } from "../../../workloads/contention.ts";
import type { Fault } from "../../core/fault.ts";
import type { Plan } from "../../core/plan.ts";
import type { Backend } from "../backend.ts";
import { isSimulated, type TopologyKind, topologySchema, type TopologySpec } from "../../core/topology.ts";
import { PROPERTIES, type Property } from "../../core/verdict.ts";

/** A lock on a topology under one kind of fault, or none: one cell of the table of locks by faults. */
export interface Cell {
  readonly lock: LockEntry;
  readonly topology: TopologySpec;
  readonly fault: Fault | undefined;
  /** What the lock promises as long as nothing goes wrong: what is looked for in this cell is a breach of it. */
  readonly promised: readonly Property[];
  /** What the lock's claims and known limits lead one to expect; absent where they say nothing. */
  readonly expected?: "holds" | "broken";
}

/** Which rows the table has. */
export interface LadderScope {
  /** Every lock: flawed specimens and libraries too. */
  readonly all: boolean;
  /** Only locks with these names. */
  readonly only?: readonly string[];
  /** Only this topology. */
  readonly topology?: TopologyKind;
  /** Only columns of these kinds of faults, beside that without faults. */
  readonly faults?: readonly string[];
  /** Where its locks run: neither backend has every topology and every fault. */
  readonly backend: Backend;
}

/** All cells, row by row: the same in every thread, so that a cell can be named by its index. */
export function ladderCells(scope: LadderScope): readonly Cell[] {
  return locksIn(scope).flatMap((lock) => cellsOf(lock, scope));
}

/** Names of locks that would be rows, were they not for containers only. */
export function beyondSimulation(scope: LadderScope): readonly string[] {
  if (scope.backend !== "simulated") return [];
  return locksIn(scope).flatMap(({ name, topologies }) => (topologies.some(isSimulated) ? [] : [name]));
}

function locksIn({ all, only }: LadderScope): readonly LockEntry[] {
  return (all ? locks : ladder).filter(({ name }) => only?.includes(name) ?? true);
}

function cellsOf(lock: LockEntry, scope: LadderScope): readonly Cell[] {
  const { backend } = scope;
  const runsHere = (kind: TopologyKind): boolean =>
    (backend === "containers" || isSimulated(kind)) && kind === (scope.topology ?? kind);
  return lock.topologies.filter(runsHere).flatMap((kind) => {
    const { persistence } = lock;
    const topology = topologySchema.parse({ kind, ...(persistence === undefined ? {} : { persistence }) });
    const promised = promisedProperties(lock, topology);
    const possible = faults.filter(
      (fault) =>
        fault.arbitrary(topology, 2) !== undefined &&
        (scope.faults?.includes(fault.kind) ?? true) &&
        (backend === "simulated" || fault.onlyInSimulation !== true),
    );
    return [undefined, ...possible].map((fault): Cell => {
      const expected = expectation(lock, topology, fault, promised);
      return { lock, topology, fault, promised, ...(expected === undefined ? {} : { expected }) };
    });
  });
}

/** The plans that the cell is searched with, the same on every backend. */
export function cellPlans({ lock, topology, fault }: Cell): Arbitrary<Plan> {
  return contentionPlans({
    lock: lock.name,
    topology,
    faults: fault === undefined ? [] : [fault],
    maxHoldShare: BEYOND_LEASE,
    reenters: lock.reentrant === true,
  });
}

/** What the cell's row is called. */
export function rowName({ lock, topology }: Cell): string {
  return lock.topologies.length > 1 ? `${lock.name} (${topology.kind})` : lock.name;
}

/** What the cell is called. */
export function titleOf(cell: Cell): string {
  return `${rowName(cell)} under ${cell.fault?.kind ?? "no fault"}`;
}

function promisedProperties(lock: LockEntry, { kind, persistence }: TopologySpec): readonly Property[] {
  const claimed = claimedProperties(lock.claims, { topology: kind, persistence, faults: [] });
  return PROPERTIES.filter((property) => claimed.includes(property));
}

function expectation(
  lock: LockEntry,
  { kind, persistence }: TopologySpec,
  fault: Fault | undefined,
  properties: readonly Property[],
): Cell["expected"] {
  const kinds = fault === undefined ? [] : fault.kind === "restart-node" ? [fault.kind, DISK_LOSS] : [fault.kind];
  const limited = lock.limits.some(
    (limit) =>
      limit.topology === kind &&
      (limit.under === "none" || kinds.includes(limit.under)) &&
      properties.some((property) => property === limit.property),
  );
  if (limited) return "broken";
  // Where a deliberate bug is not known to show, it may show all the same.
  if (lock.flawed) return undefined;
  const claimed = claimedProperties(lock.claims, { topology: kind, persistence, faults: kinds });
  return properties.every((property) => claimed.includes(property)) ? "holds" : undefined;
}
