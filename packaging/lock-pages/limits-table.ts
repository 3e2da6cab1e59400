import type { TopologyKind } from "../../harness/core/topologies/registry.ts";
import { PROPERTIES } from "../../harness/core/verdict.ts";
import { leaseLimits } from "../../lock-impl/claim-tables.ts";
import type { Limit } from "../../lock-impl/claims.ts";

/** What is known to break a lock, as the table of limits reads it. */
export interface LimitedLock {
  readonly name: string;
  readonly topologies: readonly TopologyKind[];
  readonly limits: readonly Limit[];
}

/**
 * What breaks these locks, as Markdown: first what breaks every lock with leases on a topology, told once, then for each lock
 * what differs from that. Topologies on which a lock differs in the same way share a row.
 */
export function limitsTables(locks: readonly LimitedLock[]): readonly string[] {
  const topologies = [...new Set(locks.flatMap((lock) => lock.topologies))];
  return [
    "Every lock with leases breaks where clocks are wrong, servers forget, or a client goes on after its lease:",
    "",
    "| topology | what breaks every lock with leases |",
    "|---|---|",
    ...grouped(topologies.map((kind) => [kind, [inWords(leaseLimits(kind))]])),
    "",
    "What differs for each library:",
    "",
    "| library | topology | breaks also | not known to break |",
    "|---|---|---|---|",
    ...locks.flatMap((lock) => {
      const rows = lock.topologies.map((kind): Row => [kind, differences(lock, kind)]);
      return grouped(rows).map((row) => `| ${lock.name} ${row}`);
    }),
  ];
}

/** A topology, and the other cells of its row. */
type Row = readonly [kind: TopologyKind, cells: readonly string[]];

/** Rows of Markdown; rows with the same cells are one, with all their topologies. */
function grouped(rows: readonly Row[]): readonly string[] {
  const byCells = Map.groupBy(rows, ([, cells]) => cells.join(" | "));
  return [...byCells].map(([cells, same]) => `| ${same.map(([kind]) => kind).join(", ")} | ${cells} |`);
}

/** What breaks the lock and no other lock with leases there; and what breaks the others, and is not known to break it. */
function differences({ limits }: LimitedLock, topology: TopologyKind): readonly [also: string, not: string] {
  const its = limits.filter((limit) => limit.topology === topology);
  const shared = leaseLimits(topology);
  const also = its.filter((limit) => !shared.some((other) => isSame(limit, other) && limit.cause === other.cause));
  return [inWords(also), inWords(shared.filter((limit) => !its.some((other) => isSame(limit, other))))];
}

function isSame(one: Limit, other: Limit): boolean {
  return one.property === other.property && one.under === other.under;
}

/** `lease-exclusion: none, failover; linearizability: none`. */
function inWords(limits: readonly Limit[]): string {
  return PROPERTIES.flatMap((property) => {
    const kinds = new Set(limits.filter((limit) => limit.property === property).map(({ under }) => under));
    return kinds.size === 0 ? [] : [`**${property}**: ${[...kinds].join(", ")}`];
  }).join("; ");
}
