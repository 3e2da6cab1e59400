import { basename } from "node:path";
import type { LockDriver, Servers } from "../../core/lock-driver.ts";
import { messageWithPlace } from "../../core/crash.ts";
import { HarnessError, messageOf, UserError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { blamedOnBuiltIns, endRunWithBuiltIns, requireBuiltIns } from "../../client/built-ins.ts";
import { heartbeat } from "../../client/heartbeat.ts";
import type { Plan } from "../../core/plan.ts";
import type { SystemUnderTest } from "../../core/system.ts";
import { requireSimulated } from "../../core/topology.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import type { InputListener } from "../kernel/input-listener.ts";
import { Kernel } from "../kernel/kernel.ts";
import { SimulationLimitError } from "../kernel/limits.ts";
import { ModuleGraph } from "../modules/module-graph.ts";
import type { Latency } from "../network/pipe.ts";
import { REDIS_PORT } from "../nodes/redis-process.ts";
import type { RedisVersion } from "../redis/server.ts";
import { SENTINEL_PORT } from "../sentinel/sentinel-options.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { ServerWatch } from "../wire/server-watch.ts";
import type { SimulatedClient } from "./simulated-client.ts";
import { SimulatedSystem } from "./simulated-system.ts";

export interface SimulateOptions {
  readonly plan: Plan;
  /** The lock under test. It must have been loaded after the platform was patched (`platform/install.ts`). */
  readonly driver: LockDriver;
  /** The server version of the nodes. Default: 8.0.2. */
  readonly version?: RedisVersion;
  /** Receives each line of the trace. */
  readonly onTrace?: (line: string) => void;
  /** Receives each input of each host. */
  readonly inputs?: InputListener | undefined;
  /** See `KernelOptions`: checks that code stays in its host. Slower. */
  readonly checkDescent?: boolean;
  /** Keeps the messages between clients and servers. Default: false. */
  readonly messages?: boolean;
  /** Keeps the messages, their replies, and what the servers held. Default: false. */
  readonly servers?: boolean;
  /** Whether errors in the simulation get stacks, which cost a tenth of a run. Default: true. */
  readonly stacks?: boolean;
  /** The latency of each message. Default: that of the network. */
  readonly latency?: Latency | undefined;
  /** Aborted from the real world: it aborts the signal that `work` gets within the simulation. */
  readonly signal?: AbortSignal | undefined;
}

export interface Simulated<T> {
  readonly value: T;
  /** Equal for equal runs: the same plan and the same code. */
  readonly traceHash: string;
  /** How many events ran. */
  readonly events: number;
  /** What clients sent to servers, in the order of sending, if it was kept. */
  readonly exchanges: readonly Exchange[];
  /** What the servers held, if it was kept. */
  readonly watch?: ServerWatch | undefined;
}

/** Virtual time for the start-up, and for the work left after a plan's own limit. */
const BEYOND_LIMIT_US = 120_000_000;

/**
 * Builds a plan's topology in a simulation, waits until it is up, and runs `work` in it, in a separate host with a
 * clock that no fault touches.
 * @throws UserError when the simulation does not have the topology's servers, or a command that the lock sends; or when the lock
 * altered what the harness needs
 * @throws HarnessError when no event is left although `work` has not ended, and the errors of `work`
 */
export async function simulate<T>(
  options: SimulateOptions,
  work: (system: SystemUnderTest, signal: AbortSignal) => Promise<T>,
): Promise<Simulated<T>> {
  const { lock } = options.plan;
  try {
    const simulated = await simulateAll(options, work);
    requireBuiltIns(lock);
    return simulated;
  } catch (error) {
    throw blamedOnBuiltIns(error, lock);
  } finally {
    endRunWithBuiltIns();
  }
}

async function simulateAll<T>(
  options: SimulateOptions,
  work: (system: SystemUnderTest, signal: AbortSignal) => Promise<T>,
): Promise<Simulated<T>> {
  const { plan, version = "8.0.2", onTrace, checkDescent = false } = options;
  requireSimulated(plan.topology.kind);
  heartbeat.begin({ lock: plan.lock, plan });
  const keeps = options.servers === true ? "servers" : options.messages === true ? "messages" : "nothing";
  const kernel = new Kernel({
    seed: plan.seed,
    limits: { timeUs: plan.limitMs * 1000 + BEYOND_LIMIT_US },
    checkDescent,
    inputs: options.inputs,
    onTrace,
  });
  const system = new SimulatedSystem(kernel, plan, version, { keeps, latency: options.latency });
  kernel.onFailure((_host, _during, error) => {
    // A server or a platform that cannot do what the lock asks for: such a run would say nothing about real ones.
    if (error instanceof UserError) kernel.abort(error);
  });
  const stop = new AbortController();
  using _ = onAbort(options.signal, () => {
    system.runner.post("interrupted", () => stop.abort(options.signal?.reason));
  });
  /** Clients whose lock is being connected. */
  const connecting = new Set<string>();
  const task = system.runner.spawn("run", async () => {
    await system.becomeReady();
    await connectClients(system, options, connecting);
    system.clock.begin();
    system.messages?.begin();
    system.watch?.begin(system.layout.data);
    options.inputs?.onBegin(kernel.now);
    return work(system, stop.signal);
  });
  const { stackTraceLimit } = Error;
  if (options.stacks === false) Error.stackTraceLimit = 0;
  const end = await kernel
    .run({ done: () => task.state !== "running" })
    .catch((error: unknown) => {
      throw error instanceof SimulationLimitError ? (unconnected(connecting, system) ?? error) : error;
    })
    .finally(() => {
      Error.stackTraceLimit = stackTraceLimit;
    });
  if (task.state === "failed") throw task.error;
  const hanging = task.state === "running" ? unconnected(connecting, system) : undefined;
  if (hanging !== undefined) throw hanging;
  if (task.state !== "done") throw new HarnessError(`the simulation made no progress (${end}) before its run was over`);
  for (const { name, failures } of kernel.hosts.values()) {
    const [failure] = failures;
    // The history records what a client's program does.
    if (failure !== undefined && (failure.error instanceof HarnessError || system.failureOf(name) === undefined)) {
      throw new HarnessError(`${name} failed in ${failure.during}: ${messageOf(failure.error)}`, {
        cause: failure.error,
      });
    }
  }
  const exchanges = system.messages?.exchanges ?? [];
  const { watch } = system;
  const kept = { exchanges, watch };
  return { value: task.value as T, traceHash: kernel.hash(), events: kernel.events, ...kept };
}

/** Listens until it is disposed: one signal may serve many simulations. */
function onAbort(signal: AbortSignal | undefined, act: () => void): Disposable {
  if (signal?.aborted === true) act();
  signal?.addEventListener("abort", act, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", act) };
}

async function connectClients(
  system: SimulatedSystem,
  { plan, driver }: SimulateOptions,
  connecting: Set<string>,
): Promise<void> {
  const servers = serversOf(system);
  const resource = { host: system.layout.resource.address, port: REDIS_PORT };
  await Promise.all(
    system.clients.map((client) => {
      const { name } = client;
      connecting.add(name);
      const connected = client.connect({
        driver,
        environment: { client: name, servers },
        resource,
        checks: plan.resource,
        trueNow: () => system.clock.now(),
      });
      return connected.then(
        () => void connecting.delete(name),
        (error: unknown) => {
          const cause = system.failureOf(name) ?? error;
          throw cause instanceof HarnessError ? cause : cannotConnect(client, cause);
        },
      );
    }),
  );
}

function cannotConnect(client: SimulatedClient, error: unknown): UserError {
  const what = withWhatIsKnown(`the lock of ${client.name} could not connect: ${messageWithPlace(error)}`, client);
  return new UserError(what, error instanceof UserError ? error.hint : "fix its driver", { cause: error });
}

/** What a program wrote to its console is not shown elsewhere: many say there why they give up. */
function withWhatIsKnown(what: string, { deadAddressWords, host: { output } }: SimulatedClient): string {
  const [lastLine = ""] = output.at(-1)?.trimStart().split("\n") ?? [];
  return [what, deadAddressWords ?? [], lastLine === "" ? [] : `it wrote last: ${printable(lastLine)}`]
    .flat()
    .join("; ");
}

/** The message when a simulation ended before these clients were connected; undefined where all are. */
function unconnected(connecting: ReadonlySet<string>, { clients }: SimulatedSystem): UserError | undefined {
  const client = clients.find(({ name }) => connecting.has(name));
  if (client === undefined) return undefined;
  const { name, host } = client;
  const [addon] = ModuleGraph.of(host)?.addons ?? [];
  if (addon === undefined) {
    const what = withWhatIsKnown(`the lock of ${name} never connects`, client);
    return new UserError(what, "fix its driver, whose connect does not settle");
  }
  return new UserError(
    `the lock of ${name} never connects: it uses native code, ${basename(addon)}, which is not simulated`,
    "give it real time (--backend live or containers), or a client library in JavaScript",
  );
}

/** The lock's servers as every client reaches them. */
function serversOf({ topology, layout: { data, sentinelAddresses } }: SimulatedSystem): Servers {
  return topologyOf(topology.kind).serversAt({
    data: data.map(({ address }) => ({ host: address, port: REDIS_PORT })),
    sentinels: sentinelAddresses.map((host) => ({ host, port: SENTINEL_PORT })),
    announced: {},
  });
}
