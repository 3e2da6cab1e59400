import fc, { type Arbitrary } from "fast-check";
import { z } from "zod";
import type { FaultFocus } from "../harness/core/fault.ts";
import { HarnessError, UserError } from "../harness/core/errors.ts";
import type { ClientHandle, NodeHandle, ProcessHandle, SystemUnderTest } from "../harness/core/system.ts";
import { topologyOf } from "../harness/core/topologies/registry.ts";
import { clientName, dataNodes, RESOURCE, sentinelNodes, type TopologySpec } from "../harness/core/topology.ts";

/**
 * What a fault hits: names (`client-0`, `node-2`, `sentinel-1`, `resource`) or roles, which are resolved when the fault
 * is injected: `masters`, `replicas`, `nodes` (all data nodes), `sentinels`, `clients`.
 */
export const targetsSchema = z.array(z.string()).min(1);

const ROLES = ["masters", "replicas", "nodes", "sentinels", "clients"];

/** Every name and role that a fault can name in a run on this topology. */
export function targetNames(topology: TopologySpec, clients: number): readonly string[] {
  const names = Array.from({ length: clients }, (_, index) => clientName(index));
  return [...names, ...dataNodes(topology.kind), ...sentinelNodes(topology.kind), RESOURCE, ...ROLES];
}

/** Whether these targets, as a plan holds them, are clients and nothing else. */
export function areClients(targets: unknown): boolean {
  const isClient = (target: unknown): boolean => typeof target === "string" && /^client(-\d+|s)$/.test(target);
  return Array.isArray(targets) && targets.length > 0 && targets.every(isClient);
}

/** The names that `targets` stand for at this moment, without repetition, in the order given. */
export async function resolveTargets(system: SystemUnderTest, targets: readonly string[]): Promise<readonly string[]> {
  const roles = targets.some((target) => target === "masters" || target === "replicas")
    ? await system.roles()
    : undefined;
  const names = targets.flatMap((target) => {
    if (target === "masters") return roles?.masters ?? [];
    if (target === "replicas") return roles?.replicas ?? [];
    if (target === "nodes") return system.nodes.filter(({ role }) => role === "data").map(({ name }) => name);
    if (target === "sentinels") return system.nodes.filter(({ role }) => role === "sentinel").map(({ name }) => name);
    if (target === "clients") return system.clients.map(({ name }) => name);
    return [target];
  });
  return [...new Set(names)];
}

/** The nodes that `targets` stand for. @throws UserError when one names no node of this topology */
export async function resolveNodes(
  system: SystemUnderTest,
  targets: readonly string[],
): Promise<readonly NodeHandle[]> {
  return (await resolveTargets(system, targets)).map((name) => pick(system.nodes, name));
}

/** The clients that `targets` stand for. @throws UserError when one names no client of this run */
export async function resolveClients(
  system: SystemUnderTest,
  targets: readonly string[],
): Promise<readonly ClientHandle[]> {
  return (await resolveTargets(system, targets)).map((name) => pick(system.clients, name));
}

/** Nodes and clients alike. */
export async function resolveProcesses(
  system: SystemUnderTest,
  targets: readonly string[],
): Promise<readonly ProcessHandle[]> {
  const all: readonly ProcessHandle[] = [...system.nodes, ...system.clients];
  return (await resolveTargets(system, targets)).map((name) => pick(all, name));
}

function pick<T extends ProcessHandle>(handles: readonly T[], name: string): T {
  const found = handles.find((handle) => handle.name === name);
  if (found !== undefined) return found;
  const known = [...handles.map((handle) => handle.name), ...ROLES].join(", ");
  throw new UserError(`this run has no "${name}" that the fault could hit`, `name one of ${known}`);
}

/** One client, by name. */
export function anyClient(clients: number): Arbitrary<string> {
  return fc.integer({ min: 0, max: clients - 1 }).map(clientName);
}

/** One data node or, with replication, the master or the replicas; on independent masters a subset of them. */
export function anyDataNodes(topology: TopologySpec): Arbitrary<string[]> {
  switch (topologyOf(topology.kind).arrangement) {
    case "one-server":
      return fc.constant([...dataNodes(topology.kind)]);
    case "replicated":
      return fc.constantFrom(["masters"], ["replicas"]);
    case "independent":
      return fc.subarray([...dataNodes(topology.kind)], { minLength: 1 });
  }
}

/**
 * The nodes to hit around servers, one set after another: the master or the replicas with replication; of independent
 * masters the server alone, a majority, or all; if a minority of several is asked for, that one.
 */
export function nodesToHit({ topology, servers }: Pick<FaultFocus, "topology" | "servers">): readonly string[][] {
  const all = [...dataNodes(topology.kind)];
  switch (topologyOf(topology.kind).arrangement) {
    case "one-server":
      return [all];
    case "replicated":
      return [["masters"], ["replicas"]];
    case "independent":
      if (isMinorityOfSeveral({ topology, servers })) return [[...servers]];
      return [...(servers.length === 1 ? [[...servers]] : []), all.slice(0, Math.floor(all.length / 2) + 1), all];
  }
}

/** Whether these servers are several independent ones, and fewer than half. */
export function isMinorityOfSeveral({ topology, servers }: Pick<FaultFocus, "topology" | "servers">): boolean {
  const isIndependent = topologyOf(topology.kind).arrangement === "independent";
  return isIndependent && servers.length > 1 && servers.length < dataNodes(topology.kind).length / 2;
}

/** Any set of nodes, Sentinels included, that is neither empty nor all. */
export function someNodes(topology: TopologySpec): Arbitrary<string[]> {
  const names = [...dataNodes(topology.kind), ...sentinelNodes(topology.kind)];
  if (names.length < 2) throw new HarnessError(`a ${topology.kind} topology cannot be split`);
  return fc.subarray(names, { minLength: 1, maxLength: names.length - 1 });
}
