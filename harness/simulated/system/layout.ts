import { redisArguments } from "../../core/directives.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import { dataNodes, RESOURCE, sentinelNodes, type TopologySpec } from "../../core/topology.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Network } from "../network/network.ts";
import { RedisNode } from "../nodes/redis-node.ts";
import { REDIS_PORT } from "../nodes/redis-process.ts";
import { SnapshotExchange } from "../nodes/snapshot-exchange.ts";
import { Configuration } from "../redis/configuration/configuration.ts";
import type { Effect } from "../redis/effects.ts";
import type { RedisVersion } from "../redis/server.ts";
import type { WorldHooks } from "../redis/world-hooks.ts";
import { seededSentinel } from "../sentinel/sentinel-options.ts";
import type { ServerWatch } from "../wire/server-watch.ts";
import { SimulatedSentinel } from "../sentinel/simulated-sentinel.ts";

export interface Layout {
  readonly data: readonly RedisNode[];
  readonly resource: RedisNode;
  /** Not yet started. */
  readonly sentinels: readonly SimulatedSentinel[];
  readonly sentinelAddresses: readonly string[];
}

export interface LayoutOptions {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly topology: TopologySpec;
  readonly version: RedisVersion;
  readonly onPromotion: (node: RedisNode) => void;
  readonly onResourceEffects: (effects: readonly Effect[]) => void;
  /** Where a peer reaches a server; absent: at the server's own address. */
  readonly placeFor?: WorldHooks["placeFor"];
  /** Looks at the data nodes and the Sentinels, where somebody wants to know what they held. */
  readonly watch?: ServerWatch | undefined;
}

/** Makes the servers of a topology. Addresses are those of containers: nodes from .10, Sentinels from .20. */
export function layOut(options: LayoutOptions): Layout {
  const { kernel, network, topology, version, onPromotion, onResourceEffects, placeFor, watch } = options;
  const common = { kernel, network, exchange: new SnapshotExchange(), version };
  const config = dataNodeConfiguration(topology);
  const data = dataNodes(topology.kind).map((name, index) => {
    const isReplica = topologyOf(topology.kind).arrangement === "replicated" && index > 0;
    const node: RedisNode = new RedisNode({
      ...common,
      name,
      address: nodeAddress(index),
      config,
      ...(isReplica ? { master: { host: nodeAddress(0), port: REDIS_PORT } } : {}),
      ...(placeFor === undefined ? {} : { placeFor }),
      onPromotion: () => onPromotion(node),
      onTurn: watch === undefined ? undefined : (seen) => watch.look(seen),
    });
    return node;
  });
  const resource = new RedisNode({
    ...common,
    name: RESOURCE,
    address: "10.213.0.30",
    config: { save: "", appendonly: "yes", appendfsync: "always" },
    onEffects: onResourceEffects,
  });
  const { sentinels, sentinelAddresses } = layOutSentinels(kernel, network, topology);
  const names = new Map(sentinels.map(({ configuration, host }) => [configuration.id, host.name]));
  for (const sentinel of sentinels) watch?.follow(sentinel, (id) => names.get(id) ?? id);
  return { data, resource, sentinels, sentinelAddresses };
}

/** As in containers, a high down-after keeps them from calling nodes down that are still starting. */
function layOutSentinels(
  kernel: Kernel,
  network: Network,
  { kind }: TopologySpec,
): Pick<Layout, "sentinels" | "sentinelAddresses"> {
  const names = sentinelNodes(kind);
  const known = names.map((name, index) => ({ name, address: `10.213.0.${20 + index}` }));
  const [master = "", ...replicas] = dataNodes(kind).map((_, index) => nodeAddress(index));
  const sentinels = known.map(({ name, address }) => {
    const host = kernel.host(name, { runs: "service" });
    network.add(host, address);
    const others = known.filter((other) => other.name !== name);
    return new SimulatedSentinel(host, network, seededSentinel({ name, master, replicas, others }));
  });
  return { sentinels, sentinelAddresses: known.map(({ address }) => address) };
}

function nodeAddress(index: number): string {
  return `10.213.0.${10 + index}`;
}

/** @throws UserError when the simulated server does not know a directive of the plan, or rejects its value */
function dataNodeConfiguration(topology: TopologySpec): Readonly<Record<string, string>> {
  const directives = dataNodeDirectives(topology);
  const problem = problemOf(() => new Configuration(directives));
  if (problem === undefined) return directives;
  throw new UserError(problem, "correct `config` in the plan's topology");
}

function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The directives of a data node: those of containers, as far as they have a meaning here. */
function dataNodeDirectives({ persistence, config }: TopologySpec): Readonly<Record<string, string>> {
  const given = Object.entries(config).map(
    ([name, value]) => [name, (redisArguments(value) ?? [value]).join(" ")] as const,
  );
  return {
    save: "",
    ...(persistence === "none" ? {} : { appendonly: "yes", appendfsync: persistence }),
    "repl-diskless-sync-delay": "0",
    "repl-ping-replica-period": "1",
    ...Object.fromEntries(given),
  };
}
