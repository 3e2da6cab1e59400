import { postgres } from "./postgres.ts";
import { redlock } from "./redlock.ts";
import { sentinel } from "./sentinel.ts";
import { single } from "./single.ts";
import type { Topology } from "./topology.ts";
import { zookeeper } from "./zookeeper.ts";

const registered = [single, sentinel, redlock, postgres, zookeeper] as const satisfies readonly Topology[];

/** The name of a topology. */
export type TopologyKind = (typeof registered)[number]["kind"];

/** A kind of server that can hold a lock. */
export type ServerName = (typeof registered)[number]["server"];

/** Every topology, in the order in which help texts list them. The first is the topology of plans that name none. */
export const topologies: readonly Topology<TopologyKind, ServerName>[] = registered;

const byKind: ReadonlyMap<string, Topology<TopologyKind, ServerName>> = new Map(
  topologies.map((topology) => [topology.kind, topology]),
);

/** The topology of this kind. */
export function topologyOf(kind: TopologyKind): Topology<TopologyKind, ServerName> {
  const topology = byKind.get(kind);
  if (topology === undefined) throw new RangeError(`there is no topology ${kind}`);
  return topology;
}

/** The topology that a history names, if lockstorm knows it: a history recorded elsewhere may name any, or none. */
export function knownTopology(name: unknown): Topology<TopologyKind, ServerName> | undefined {
  return typeof name === "string" ? byKind.get(name) : undefined;
}
