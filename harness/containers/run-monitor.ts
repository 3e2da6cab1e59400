import { messageOf } from "../core/errors.ts";
import type { Notice } from "../core/system.ts";
import type { ClientProcess } from "./clients/client-process.ts";
import type { ContainerNode } from "./nodes/container-node.ts";
import type { ContainerServers } from "./container-servers.ts";
import { watchForDeaths } from "./nodes/death-watch.ts";
import { FloodWatch } from "./flood-watch.ts";
import { FreezeWatch } from "./freeze-watch.ts";
import { topologyOf } from "../core/topologies/registry.ts";
import type { RunClock } from "./run-clock.ts";
import { type Promotion, PromotionWatch } from "./servers/sentinels.ts";
import { settleAll } from "./engine/settle-all.ts";

/**
 * Watches one run and reports what no fault caused: promotions, processes that die or freeze by themselves, and clients
 * that send without pause.
 */
export class RunMonitor {
  readonly #listeners: ((notice: Notice) => void)[] = [];
  #freezes: FreezeWatch | undefined;
  #floods: FloodWatch | undefined;

  /** Starts watching, until `stack` is disposed. */
  static async start(
    servers: ContainerServers,
    clients: readonly ClientProcess[],
    clock: RunClock,
    stack: AsyncDisposableStack,
  ): Promise<RunMonitor> {
    const monitor = new RunMonitor();
    const notify = (notice: Notice): void => {
      for (const listener of monitor.#listeners) listener(notice);
    };
    const sentinels = servers.nodes.filter(({ role }) => role === "sentinel");
    const master = servers.nodes[0];
    const [deaths, freezes, promotions] = await settleAll([
      watchForDeaths(servers.engine, servers.scope.runId, servers.containers, clients, notify),
      FreezeWatch.start(
        servers.engine,
        servers.scope.runId,
        { clients, containers: servers.containers },
        clock,
        notify,
      ),
      sentinels.length === 0 || master === undefined
        ? undefined
        : PromotionWatch.start(
            sentinels.map(({ name }) => ({ name, address: servers.address(name) })),
            master.networkAddress,
            (promotion) => void describe(promotion, servers.nodes).then(notify),
          ),
    ]);
    stack.use(deaths);
    monitor.#freezes = stack.use(freezes);
    stack.use(promotions);
    if (topologyOf(servers.topology.kind).server === "redis") {
      const counting = servers.nodes.filter(({ role }) => role === "data");
      monitor.#floods = stack.use(new FloodWatch(counting, notify));
    }
    return monitor;
  }

  /** Call it when the run, and its clock, begin. */
  begin(): void {
    this.#freezes?.begin();
    this.#floods?.begin();
  }

  /** See `SystemUnderTest.endWatch`. */
  endWatch(): void {
    this.#freezes?.stop();
    this.#floods?.[Symbol.dispose]();
  }

  onNotice(listener: (notice: Notice) => void): void {
    this.#listeners.push(listener);
  }
}

/** A promotion by node names; the evidence contains the number of keys of the new master, which shows what was lost. */
async function describe({ sentinel, from, to }: Promotion, nodes: readonly ContainerNode[]): Promise<Notice> {
  const nodeAt = (address: string): ContainerNode | undefined =>
    nodes.find(({ networkAddress }) => networkAddress === address);
  const promoted = nodeAt(to);
  const name = promoted?.name ?? to;
  const knew = await countKeys(promoted);
  const evidence = `${sentinel} announced ${name} as master in place of ${nodeAt(from)?.name ?? from}; ${knew}`;
  return { kind: "promotion", node: name, evidence };
}

async function countKeys(node: ContainerNode | undefined): Promise<string> {
  try {
    return `it had ${String(await node?.command("DBSIZE"))} key(s)`;
  } catch (error) {
    return `its keys could not be counted: ${messageOf(error)}`;
  }
}
