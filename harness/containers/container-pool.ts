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
 * Systems for consecutive runs that share their servers. Each run has its own clients and links; the nodes are reset in
 * between, which takes milliseconds where a start takes a second. Sentinels are always restarted: a failover changes
 * the state of Sentinels and their nodes, and correcting that takes longer than a start.
 */
export class ContainerPool implements AsyncDisposable {
  #kept: Kept | undefined;

  /** As `startContainerSystem`. The system of the run before must have been disposed. */
  async start(plan: Plan, options: ContainerSystemOptions): Promise<ContainerSystem> {
    if (!isRenewable(plan.topology)) return startContainerSystem(plan, options);
    const key = JSON.stringify([plan.topology, options.image, options.proxyPort]);
    if (this.#kept !== undefined && !(this.#kept.key === key && (await this.#kept.servers.renew()))) await this.#drop();
    await using stack = new AsyncDisposableStack();
    if (this.#kept !== undefined) {
      const { scope, servers } = this.#kept;
      return await startOnServers(plan, {
        logFolder: options.logFolder,
        scope,
        servers: () => Promise.resolve(servers),
        stack,
      });
    }
    await using kept = new AsyncDisposableStack();
    const scope = kept.use(await RunScope.open());
    const start = async (): Promise<ContainerServers> => {
      const servers = kept.use(await ContainerServers.start(scope, plan.topology, options));
      this.#kept = { key, scope, servers, stack: kept.move() };
      return servers;
    };
    return await startOnServers(plan, { logFolder: options.logFolder, scope, servers: start, stack });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#drop();
  }

  async #drop(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    await kept?.stack.disposeAsync();
  }
}
