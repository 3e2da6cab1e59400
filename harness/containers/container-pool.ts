import { topologyOf } from "../core/topologies/registry.ts";
import type { Plan } from "../core/plan.ts";
import { isRenewable } from "./container-layout.ts";
import { ContainerServers } from "./container-servers.ts";
import {
  type ContainerSystem,
  type ContainerSystemOptions,
  startContainerSystem,
  startOnServers,
} from "./container-system.ts";
import { RunScope } from "./cleanup/run-scope.ts";

interface Kept {
  /** Topology, image and port that the servers were started with. */
  readonly key: string;
  readonly scope: RunScope;
  readonly servers: ContainerServers;
  readonly stack: AsyncDisposableStack;
}

/**
 * Systems for the runs of a campaign, several at a time, that share servers one after another. Each run has its own
 * clients and links; the servers are reset in between, which takes milliseconds where a start takes a second.
 */
export class ContainerPool implements AsyncDisposable {
  readonly #size: number;
  /** Servers that no run uses, the one that was used last at the end. */
  readonly #idle: Kept[] = [];
  #busy = 0;
  #closed = false;

  /** @param size how many systems of servers there may be, as long as no more are in use at a time */
  constructor(size = 1) {
    this.#size = size;
  }

  /** As `startContainerSystem`. Disposing the system leaves its servers to the next run. */
  async start(plan: Plan, options: ContainerSystemOptions): Promise<ContainerSystem> {
    if (!isRenewable(plan.topology)) return startContainerSystem(plan, options);
    const key = JSON.stringify([plan.topology, options.image, options.proxyPort]);
    this.#busy += 1;
    await using stack = new AsyncDisposableStack();
    let kept: Kept | undefined;
    // First on the stack, so last: the servers are free when clients and links are gone.
    stack.defer(() => this.#giveBack(kept));
    kept = await this.#renewed(key);
    if (kept !== undefined) {
      const { scope, servers } = kept;
      return await startOnServers(plan, {
        ...options,
        scope,
        servers: () => Promise.resolve(servers),
        stack,
      });
    }
    await using starting = new AsyncDisposableStack();
    const scope = starting.use(await RunScope.open());
    // A later plan may partition the nodes, even if this one does not.
    const firewall = topologyOf(plan.topology.kind).arrangement === "replicated";
    const start = async (): Promise<ContainerServers> => {
      const servers = starting.use(await ContainerServers.start(scope, plan.topology, { ...options, firewall }));
      kept = { key, scope, servers, stack: starting.move() };
      return servers;
    };
    return await startOnServers(plan, { ...options, scope, servers: start, stack });
  }

  /** Removes all servers; those in use, when their run is over. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) await kept.stack.disposeAsync();
  }

  /** Idle servers of this kind, as good as new; undefined when there are none, and room for new ones. */
  async #renewed(key: string): Promise<Kept | undefined> {
    for (;;) {
      const index = this.#idle.findLastIndex((kept) => kept.key === key);
      const [kept] = index === -1 ? [] : this.#idle.splice(index, 1);
      if (kept === undefined) break;
      // Servers that cannot be reset, for any reason, are replaced.
      if (await kept.servers.renew().catch(() => false)) return kept;
      await kept.stack.disposeAsync();
    }
    while (this.#busy + this.#idle.length > this.#size) {
      const oldest = this.#idle.shift();
      if (oldest === undefined) break;
      await oldest.stack.disposeAsync();
    }
    return undefined;
  }

  async #giveBack(kept: Kept | undefined): Promise<void> {
    this.#busy -= 1;
    if (kept === undefined) return;
    if (this.#closed) await kept.stack.disposeAsync();
    else this.#idle.push(kept);
  }
}
