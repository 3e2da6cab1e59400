import { classesOf } from "../../../faults/fault-classes.ts";
import { faults } from "../../../faults/registry.ts";
import { claimedProperties } from "../../../lock-impl/claims.ts";
import { isInstalled } from "../../../lock-impl/installed.ts";
import { ladder } from "../../../lock-impl/ladder/ladder.ts";
import type { LockEntry } from "../../../lock-impl/lock-entry.ts";
import { locks } from "../../../lock-impl/registry.ts";
import { BEYOND_LEASE, type ContentionOptions } from "../../../workloads/contention.ts";
import type { Fault } from "../../core/fault.ts";
import type { TableBackend } from "../../core/topologies/backend.ts";
import { isSimulated, topologySchema, type TopologySpec } from "../../core/topology.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";
import { PROMISABLE, type Property } from "../../core/verdict.ts";

/** A lock on a topology under one kind of fault, or none: one cell of the table of locks by faults. */
export interface Cell {
  readonly lock: LockEntry;
  readonly topology: TopologySpec;
  readonly fault: Fault | undefined;
  /**
   * The outcome to expect from the lock's claims and known limits; absent where they say nothing. `outlived`: the lock
   * keeps its promise, but a client may outlive its lease.
   */
  readonly expected?: "holds" | "outlived" | "broken" | undefined;
}

/** The properties that judge every lock of a table: the same for all, so that rows can be compared. */
export const JUDGED: readonly Property[] = PROMISABLE;

/** Which rows the table has. */
export interface LadderScope {
  /** Every lock: flawed specimens and libraries too. */
  readonly all: boolean;
  /** Only locks with these names. */
  readonly only?: readonly string[] | undefined;
  /** Only this topology. */
  readonly topology?: TopologyKind | undefined;
  /** Only columns of these kinds of faults, and the column without faults. */
  readonly faults?: readonly string[] | undefined;
  /** The backend: neither backend has every topology and every fault. */
  readonly backend: TableBackend;
}

/** All cells, row by row: the same in every thread, so that an index names a cell. */
export function ladderCells(scope: LadderScope): readonly Cell[] {
  return locksIn(scope).flatMap((lock) => cellsOf(lock, scope));
}

/** Names of locks that are no rows only because they run on containers alone. */
export function beyondSimulation(scope: LadderScope): readonly string[] {
  if (scope.backend !== "simulated") return [];
  return locksIn(scope).flatMap(({ name, topologies }) => (topologies.some(isSimulated) ? [] : [name]));
}

/** Locks that would be rows, but their package from npm is not installed. */
export function notInstalledIn(scope: LadderScope): readonly LockEntry[] {
  return locksIn(scope).filter((lock) => !isInstalled(lock) && cellsOf(lock, scope).length > 0);
}

/** The same scope without some locks. */
export function scopeWithout(left: readonly LockEntry[], scope: LadderScope): LadderScope {
  if (left.length === 0) return scope;
  return { ...scope, only: locksIn(scope).flatMap((lock) => (left.includes(lock) ? [] : [lock.name])) };
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
    const topology = topologySchema.parse({ kind, persistence });
    const possible = faults.filter(
      (fault) =>
        fault.arbitrary(topology, 2) !== undefined &&
        (scope.faults?.includes(fault.kind) ?? true) &&
        (backend === "simulated" || fault.onlyInSimulation !== true),
    );
    return [undefined, ...possible].map((fault): Cell => {
      return { lock, topology, fault, expected: expectation(lock, topology, fault) };
    });
  });
}

/** The source of the cell's plans, the same on every backend. */
export function cellSource({ lock, topology, fault }: Cell): ContentionOptions {
  return {
    lock: lock.name,
    topology,
    faults: fault === undefined ? [] : [fault],
    maxHoldShare: BEYOND_LEASE,
    reenters: lock.reentrant === true,
    supports: lock.supports,
  };
}

/** The name of the cell's row. */
export function rowName({ lock, topology }: Cell): string {
  return lock.topologies.length > 1 ? `${lock.name} (${topology.kind})` : lock.name;
}

/** The command that searches the cell again, with the same plans. */
export function cellCommand(
  { lock, topology, fault }: Cell,
  {
    backend,
    seed,
    runs,
    complete,
  }: {
    readonly backend: TableBackend;
    readonly seed: number;
    readonly runs?: number | undefined;
    readonly complete?: boolean | undefined;
  },
): string {
  const parts = ["npx lockstorm hunt --all", `--lock ${lock.name}`, `--topology ${topology.kind}`];
  const column = fault === undefined ? "none" : fault.kind;
  const given = runs === undefined ? [] : [`--runs ${runs}`];
  const all = complete === true ? ["--complete"] : [];
  return [...parts, `--faults ${column}`, ...given, ...all, `--backend ${backend}`, `--seed ${seed}`].join(" ");
}

/** The name of the cell. */
export function titleOf(cell: Cell): string {
  return `${rowName(cell)} under ${cell.fault?.kind ?? "no fault"}`;
}

function expectation(lock: LockEntry, { kind, persistence }: TopologySpec, fault: Fault | undefined): Cell["expected"] {
  const classes = fault === undefined ? [] : classesOf(fault.kind);
  const limited = lock.limits.filter(
    (limit) => limit.topology === kind && (limit.under === "none" || classes.some(({ name }) => name === limit.under)),
  );
  if (limited.some(({ property }) => isJudged(property))) return "broken";
  // Where a deliberate bug is not known to show, it may still show.
  if (lock.flawed) return undefined;
  const claimedUnder = (faults: typeof classes): readonly string[] =>
    claimedProperties(lock.claims, { topology: kind, persistence, faults });
  const claimed = claimedUnder(classes);
  const claimedAtBest = claimedUnder([]);
  if (!claimedAtBest.every((property) => !isJudged(property) || claimed.includes(property))) return undefined;
  // What breaks under one fault, and is claimed under none, may break under others too.
  const breaks = lock.limits.some(
    ({ property, topology }) => topology === kind && isJudged(property) && !claimedAtBest.includes(property),
  );
  if (fault !== undefined && breaks) return undefined;
  const mayOutlive = limited.some(({ property }) => property === "mutual-exclusion");
  return claimed.includes("mutual-exclusion") && !mayOutlive ? "holds" : "outlived";
}

/**
 * Whether a breach of the property breaks a lock's promise; clients that outlive their leases lose the other
 * properties.
 */
function isJudged(property: string): boolean {
  return JUDGED.some((judged) => judged === property);
}
