import fc, { type Arbitrary } from "fast-check";
import { z } from "zod";
import type { FaultFocus, Way } from "../harness/core/fault.ts";
import { topologyOf } from "../harness/core/topologies/registry.ts";
import type { Edge, SystemUnderTest } from "../harness/core/system.ts";
import { clientName, dataNodes, RESOURCE, sentinelNodes, type TopologySpec } from "../harness/core/topology.ts";
import type { TopologyKind } from "../harness/core/topologies/registry.ts";
import type { FaultParams, MilderFault } from "../harness/core/fault.ts";
import { anyClient, areClients, isMinorityOfSeveral, resolveTargets, someNodes, targetsSchema } from "./targets.ts";

/**
 * The edges that a network fault hits: all edges between different groups. `oneWay` takes only those that lead from the
 * first group to the others. A node that is in no group is untouched, so that a bridge is two groups and a node in
 * neither.
 */
export const betweenShape = {
  between: z.array(targetsSchema).min(2),
  oneWay: z.boolean().optional(),
};
export interface Between extends Record<string, unknown> {
  readonly between: string[][];
  readonly oneWay?: boolean | undefined;
}

/** Whether each edge certainly has a client at one of its ends: of the groups that face each other, one at most is not of clients. */
function endAtClients({ between }: FaultParams): boolean {
  return Array.isArray(between) && between.filter((group) => !areClients(group)).length <= 1;
}

/**
 * A fault that holds messages back does less where it hits no link between servers: no replica is promoted, since Sentinels
 * judge the master by what it answers them.
 */
export const heldOnlyFromClients: MilderFault = { traits: { messages: "holds-of-clients" }, applies: endAtClients };

/** The directed edges that `between` stands for now, limited to edges that carry data at some time. */
export async function resolveEdges(system: SystemUnderTest, { between, oneWay }: Between): Promise<readonly Edge[]> {
  const groups = await Promise.all(between.map((group) => resolveTargets(system, group)));
  const sources = oneWay === true ? groups.slice(0, 1) : groups;
  const edges = sources.flatMap((left) =>
    groups
      .filter((right) => right !== left)
      .flatMap((right) => left.flatMap((from) => right.map((to): Edge => ({ from, to }))))
      .filter(({ from, to }) => connected(system.topology.kind, from, to)),
  );
  // Groups may share members: one by role, the other by name.
  return firstOfEach(edges, ({ from, to }) => `${from}->${to}`);
}

/** One edge for each pair of ends, regardless of direction. */
export function pairsOf(edges: readonly Edge[]): readonly Edge[] {
  return firstOfEach(edges, ({ from, to }) => [from, to].toSorted().join("<->"));
}

function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const first = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (!first.has(key)) first.set(key, item);
  }
  return [...first.values()];
}

/** Whether the two ends ever speak to each other. */
function connected(kind: TopologyKind, one: string, other: string): boolean {
  if (one === other) return false;
  const client = (name: string): boolean => name.startsWith("client-");
  if (client(one) || client(other)) return !(client(one) && client(other));
  if (one === RESOURCE || other === RESOURCE) return false;
  return nodesSpeak(kind);
}

/** Whether the nodes speak to each other. */
function nodesSpeak(kind: TopologyKind): boolean {
  return topologyOf(kind).arrangement === "replicated";
}

/** The names of both ends, for the history, without repetition. */
export function endsOf(edges: readonly Edge[]): readonly string[] {
  return [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
}

/** Edges worth trying between a client and the rest: some or all servers, or the guarded resource. */
export function clientEdges(topology: TopologySpec, clients: number): Arbitrary<Between> {
  const servers = [...dataNodes(topology.kind), ...sentinelNodes(topology.kind)];
  const others = fc.oneof(
    fc.constant<string[]>(["nodes"]),
    fc.constant<string[]>([RESOURCE]),
    fc.subarray(servers, { minLength: 1 }),
  );
  const between = fc.tuple(anyClient(clients), others).map(([client, rest]) => [[client], rest]);
  return fc.record({ between, oneWay: fc.boolean() });
}

/**
 * The same, and the links to the masters wherever some servers are named of a topology with replication: of the others there
 * may be none that a client has a connection to.
 */
export function clientEdgesInUse(topology: TopologySpec, clients: number): Arbitrary<Between> {
  const all = clientEdges(topology, clients);
  if (!nodesSpeak(topology.kind)) return all;
  const servers = new Set([...dataNodes(topology.kind), ...sentinelNodes(topology.kind)]);
  return all.map(({ between, ...way }) => ({
    ...way,
    between: between.map((group) => (group.some((name) => servers.has(name)) ? ["masters", ...group] : group)),
  }));
}

/**
 * The links of a client to hit: to the servers that it speaks to, both ways, there only, or back only. If it speaks to
 * several, also to a majority of them: the others then answer it while another client can win those.
 */
export function linksToHit(focus: Pick<FaultFocus, "client" | "servers" | "topology">): readonly Between[] {
  const { client, servers } = focus;
  const majority = servers.slice(0, Math.floor(servers.length / 2) + 1);
  const isSplit = servers.length > 1 && !isMinorityOfSeveral(focus);
  return [
    { between: [[client], [...servers]] },
    ...(isSplit ? [{ between: [[client], majority] }] : []),
    oneWayOf(focus, "there"),
    oneWayOf(focus, "back"),
  ];
}

/** The links of a client to hit, one way. */
export function oneWayOf({ client, servers }: Pick<FaultFocus, "client" | "servers">, way: Way): Between {
  const there = [[client], [...servers]];
  return { between: way === "there" ? there : there.toReversed(), oneWay: true };
}

/**
 * The links of a client to hit and, with replication, those between nodes. Of a minority of independent servers, also so that
 * the other clients do not reach as many other ones: each side may take those that it reaches for all.
 */
export function edgesToHit(focus: FaultFocus): readonly Between[] {
  const { topology, client, clients, servers } = focus;
  const others = clientNames(clients).filter((name) => name !== client);
  if (isMinorityOfSeveral(focus)) {
    const apart = dataNodes(topology.kind).filter((name) => !servers.includes(name));
    const sides = [
      [client, ...apart.slice(-servers.length)],
      [...others, ...servers],
    ];
    return [{ between: sides }, ...linksToHit(focus)];
  }
  if (!nodesSpeak(topology.kind)) return linksToHit(focus);
  return [
    {
      between: [
        ["masters", client],
        ["replicas", "sentinels", ...others],
      ],
    },
    ...linksToHit(focus),
    { between: [["masters"], ["replicas"]] },
    { between: [["masters"], ["replicas", "sentinels"]] },
  ];
}

function clientNames(clients: number): readonly string[] {
  return Array.from({ length: clients }, (_, index) => clientName(index));
}

/**
 * Edges worth trying: those of a client and, with replication, between the master and its replicas, one node and the
 * rest, or the nodes in two halves.
 */
export function anyEdges(topology: TopologySpec, clients: number): Arbitrary<Between> {
  if (!nodesSpeak(topology.kind)) return clientEdges(topology, clients);
  const nodeSides: Arbitrary<string[][]> = fc.oneof(
    fc.constant<string[][]>([["masters"], ["replicas"]]),
    fc.constant<string[][]>([["masters"], ["replicas", "sentinels"]]),
    splitBrain(clients),
    halves(topology),
  );
  return fc.oneof(clientEdges(topology, clients), {
    arbitrary: fc.record({ between: nodeSides, oneWay: fc.boolean() }),
    weight: 3,
  });
}

/** The master and one client on one side, everybody else on the other: two masters, each with clients, until it heals. */
function splitBrain(clients: number): Arbitrary<string[][]> {
  return anyClient(clients).map((client) => {
    const others = clientNames(clients).filter((name) => name !== client);
    return [
      ["masters", client],
      ["replicas", "sentinels", ...others],
    ];
  });
}

/** Two halves, each with a random share of the servers. */
function halves(topology: TopologySpec): Arbitrary<string[][]> {
  const all = [...dataNodes(topology.kind), ...sentinelNodes(topology.kind)];
  return someNodes(topology).map((side) => [side, all.filter((name) => !side.includes(name))]);
}
