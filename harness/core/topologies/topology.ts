import type { Backend } from "./backend.ts";
import type { Address, Servers } from "../lock-driver.ts";

/** A topology: its servers, how locks live on them, and how long operations take there. */
export interface Topology<Kind extends string = string, Server extends string = string> {
  /** Its name in plans and histories. */
  readonly kind: Kind;
  /** One line for help texts: its servers, and how a lock lives on them. */
  readonly summary: string;
  /** What runs on its data nodes. */
  readonly server: Server;
  /** How many data nodes it has: `node-0` and so on. */
  readonly dataNodes: number;
  /** How many Sentinels watch them: `sentinel-0` and so on. */
  readonly sentinels: number;
  readonly arrangement: Arrangement;
  /** The backends that have its servers. */
  readonly backends: readonly Backend[];
  /** Whether its server releases a client's locks when the client's connection ends. */
  readonly holdsEndWithConnection?: true;
  /** Where reports draw the lock: the node that answers first, or one name for all nodes that answer. */
  readonly lockLine: string;
  readonly workload: Workload;
  /** Where a client finds the lock's servers. */
  serversAt(reach: Reach): Servers;
}

/**
 * How locks live on the data nodes.
 * - `one-server`: on the only server.
 * - `replicated`: on one master at a time, with replicas that follow it and may be promoted. The nodes speak to each
 *   other.
 * - `independent`: on several masters that do not know of each other; a majority decides.
 */
export type Arrangement = "one-server" | "replicated" | "independent";

/** The scale of generated plans, in milliseconds. */
interface Workload {
  /** TTLs to draw from: short, so that leases end within a run, but long compared with an operation. */
  readonly ttlsMs: readonly number[];
  /** How often a caller tries until it is granted the lock. */
  readonly tries: number;
  /** Longer than the longest of these plans takes when nothing goes wrong. */
  readonly limitMs: number;
  /** The longest duration of a fault. */
  readonly longestFaultMs: number;
}

/** The servers of a topology as one client reaches them, each in the order of its names. */
interface Reach {
  readonly data: readonly Address[];
  readonly sentinels: readonly Address[];
  /** From an address that a Sentinel announces, `"10.1.2.3:6379"`, to the one that the client must use. */
  readonly announced: Readonly<Record<string, Address>>;
}

/** Keeps the names of a topology as they are written. */
export function defineTopology<const Kind extends string, const Server extends string>(
  topology: Topology<Kind, Server>,
): Topology<Kind, Server> {
  return topology;
}

/** The address of the only data node. @throws RangeError when there is none */
export function onlyNode({ data: [first] }: Reach): Address {
  if (first === undefined) throw new RangeError("a topology has at least one data node");
  return first;
}
