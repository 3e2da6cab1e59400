import { existsSync } from "node:fs";
import { Redis } from "ioredis";
import { afterAll, beforeAll } from "vitest";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../../core/plan.ts";
import { topologySchema } from "../../core/topology.ts";
import type { Address } from "../../core/lock-driver.ts";
import type { ContainerNode } from "../nodes/container-node.ts";
import { ContainerServers } from "../container-servers.ts";
import { connectEngine } from "../engine/engine.ts";
import { RUN_LABEL } from "../cleanup/labels.ts";
import { RunScope } from "../cleanup/run-scope.ts";

/** Starts the servers of a topology for all tests of a `describe`, and removes them after the last. */
export function useServers(topology: PlanInput["topology"]): () => ContainerServers {
  const stack = new AsyncDisposableStack();
  let servers: ContainerServers | undefined;
  beforeAll(async () => {
    const scope = stack.use(await RunScope.open());
    servers = stack.use(await ContainerServers.start(scope, topologySchema.parse(topology), { firewall: true }));
  });
  afterAll(() => stack.disposeAsync());
  return () => {
    if (servers === undefined) throw new Error("the servers are not up");
    return servers;
  };
}

/** The node of that name. */
export function nodeOf(servers: Pick<ContainerServers, "nodes">, name: string): ContainerNode {
  const node = servers.nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`there is no ${name}`);
  return node;
}

/** A connection that fails at once when it breaks; the test disposes it. */
export async function connectTo(address: Address): Promise<Redis & AsyncDisposable> {
  const redis = new Redis({ ...address, protocol: 2, lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: null });
  redis.on("error", () => {});
  await redis.connect();
  return Object.assign(redis, {
    [Symbol.asyncDispose]: () => {
      redis.disconnect();
      return Promise.resolve();
    },
  });
}

/** A plan of clients that do nothing. */
export function idlePlan(topology: PlanInput["topology"], lock: string, clients = 2): Plan {
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock,
    topology,
    clients: Array.from({ length: clients }, () => ({ sections: [] })),
    faults: [],
  });
}

/** The remains of a scope: containers and networks by its label, its folder. */
export async function leftovers(scope: Pick<RunScope, "runId" | "folder">): Promise<readonly string[]> {
  const engine = await connectEngine();
  const filters = { label: [`${RUN_LABEL}=${scope.runId}`] };
  const containers = await engine.listContainers({ all: true, filters });
  const networks = await engine.listNetworks({ filters });
  return [
    ...containers.map(({ Names }) => `container ${Names.join(" ")}`),
    ...networks.map(({ Name }) => `network ${Name}`),
    ...(existsSync(scope.folder) ? [`folder ${scope.folder}`] : []),
  ];
}
