import type { LockDriver, Servers } from "../../../lock-impl/driver.ts";
import { HarnessError, messageOf } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import type { SystemUnderTest } from "../../core/system.ts";
import { MASTER_NAME, simulatedTopology } from "../../core/topology.ts";
import { Kernel } from "../kernel/kernel.ts";
import { REDIS_PORT } from "../nodes/redis-process.ts";
import type { RedisVersion } from "../redis/server.ts";
import { SENTINEL_PORT } from "../sentinel/sentinel-options.ts";
import { SimulatedSystem } from "./simulated-system.ts";

export interface SimulateOptions {
  readonly plan: Plan;
  /** The lock under test. It must have been loaded after the platform was patched (`platform/install.ts`). */
  readonly driver: LockDriver;
  /** What the nodes run. Default 8.0.2. */
  readonly version?: RedisVersion;
  /** Receives each line of the trace. */
  readonly onTrace?: (line: string) => void;
  /** See `KernelOptions`: whether code that went astray from its host is looked for. Slower. */
  readonly checkDescent?: boolean;
}

export interface Simulated<T> {
  readonly value: T;
  /** Equal for equal runs: the same plan and the same code. */
  readonly traceHash: string;
  /** How many events ran. */
  readonly events: number;
}

/** Virtual time for building up, and for what is left to do after a plan's own limit. */
const BEYOND_LIMIT_US = 120_000_000;

/**
 * Builds a plan's topology in a simulation, lets it come up, and runs `work` in it, in a host of its own with a clock
 * that no fault touches.
 * @throws UserError when the topology is of servers that the simulation does not have
 * @throws HarnessError when nothing can happen any more although `work` has not ended, and what `work` throws
 */
export async function simulate<T>(
  options: SimulateOptions,
  work: (system: SystemUnderTest) => Promise<T>,
): Promise<Simulated<T>> {
  const { plan, version = "8.0.2", onTrace, checkDescent = false } = options;
  simulatedTopology(plan.topology.kind);
  const kernel = new Kernel({
    seed: plan.seed,
    limits: { timeUs: plan.limitMs * 1000 + BEYOND_LIMIT_US },
    checkDescent,
    ...(onTrace === undefined ? {} : { onTrace }),
  });
  const system = new SimulatedSystem(kernel, plan, version);
  const task = system.runner.spawn("run", async () => {
    await system.becomeReady();
    await connectClients(system, options);
    system.clock.begin();
    return work(system);
  });
  const end = await kernel.run({ done: () => task.state !== "running" });
  if (task.state === "failed") throw task.error;
  if (task.state !== "done") throw new HarnessError(`the simulation came to a stand (${end}) before its run was over`);
  for (const { name, failures } of kernel.hosts.values()) {
    const [failure] = failures;
    if (failure !== undefined) {
      throw new HarnessError(`${name} failed in ${failure.during}: ${messageOf(failure.error)}`, {
        cause: failure.error,
      });
    }
  }
  return { value: task.value as T, traceHash: kernel.hash(), events: kernel.events };
}

async function connectClients(system: SimulatedSystem, { plan, driver }: SimulateOptions): Promise<void> {
  const servers = serversOf(system);
  const resource = { host: system.layout.resource.address, port: REDIS_PORT };
  await Promise.all(
    system.clients.map((client) =>
      client.connect({
        driver,
        environment: { client: client.name, servers },
        resource,
        checks: plan.resource,
        trueNow: () => system.clock.now(),
      }),
    ),
  );
}

/** The lock's servers as every client reaches them. */
function serversOf({ topology, layout: { data, sentinelAddresses } }: SimulatedSystem): Servers {
  const addresses = data.map(({ address }) => ({ host: address, port: REDIS_PORT }));
  const [first] = addresses;
  if (first === undefined) throw new HarnessError(`a topology has at least one node`);
  switch (simulatedTopology(topology.kind)) {
    case "single":
      return { kind: "single", address: first };
    case "redlock":
      return { kind: "redlock", nodes: addresses };
    case "sentinel":
      return {
        kind: "sentinel",
        masterName: MASTER_NAME,
        sentinels: sentinelAddresses.map((host) => ({ host, port: SENTINEL_PORT })),
        natMap: {},
      };
  }
}
