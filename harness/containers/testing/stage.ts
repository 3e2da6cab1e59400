import { existsSync } from "node:fs";
import { Redis } from "ioredis";
import { afterAll, beforeAll } from "vitest";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../../core/plan.ts";
import { topologySchema } from "../../core/topology.ts";
import type { Address } from "../../../lock-impl/driver.ts";
import type { ContainerNode } from "../container-node.ts";
import { ContainerStage } from "../container-stage.ts";
import { connectEngine } from "../engine.ts";
import { RUN_LABEL } from "../labels.ts";
import { RunHome } from "../run-home.ts";

/** Starts the servers of a topology for all tests of a `describe`, and takes them away after the last. */
export function useStage(topology: PlanInput["topology"]): () => ContainerStage {
  const stack = new AsyncDisposableStack();
  let stage: ContainerStage | undefined;
  beforeAll(async () => {
    const home = stack.use(await RunHome.open());
    stage = stack.use(await ContainerStage.start(home, topologySchema.parse(topology)));
  });
  afterAll(() => stack.disposeAsync());
  return () => {
    if (stage === undefined) throw new Error("the stage is not up");
    return stage;
  };
}

/** The node of that name. */
export function nodeOf(stage: Pick<ContainerStage, "nodes">, name: string): ContainerNode {
  const node = stage.nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`there is no ${name}`);
  return node;
}

/** A connection that fails at once when it breaks, to be disposed by the test. */
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

/** What is left of a home: containers and networks by its label, its folder. */
export async function leftovers(home: Pick<RunHome, "runId" | "folder">): Promise<readonly string[]> {
  const engine = await connectEngine();
  const filters = { label: [`${RUN_LABEL}=${home.runId}`] };
  const containers = await engine.listContainers({ all: true, filters });
  const networks = await engine.listNetworks({ filters });
  return [
    ...containers.map(({ Names }) => `container ${Names.join(" ")}`),
    ...networks.map(({ Name }) => `network ${Name}`),
    ...(existsSync(home.folder) ? [`folder ${home.folder}`] : []),
  ];
}
