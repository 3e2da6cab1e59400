import type { Plan } from "../core/plan.ts";
import { isRenewable } from "./container-layout.ts";
import { ContainerStage } from "./container-stage.ts";
import {
  type ContainerSystem,
  type ContainerSystemOptions,
  startContainerSystem,
  startOnStage,
} from "./container-system.ts";
import { RunHome } from "./run-home.ts";

interface Kept {
  /** What it was started for. */
  readonly key: string;
  readonly home: RunHome;
  readonly stage: ContainerStage;
  readonly stack: AsyncDisposableStack;
}

/**
 * Systems for one run after another, which share their servers: clients and links are each run's own, the nodes are made
 * like new in between, which takes milliseconds where a start takes a second. Some are started afresh, as Sentinels are: a
 * failover changes what they and their nodes believe, and putting that right takes them longer than a start.
 */
export class ContainerPool implements AsyncDisposable {
  #kept: Kept | undefined;

  /** As `startContainerSystem`. The system of the run before must have been disposed. */
  async start(plan: Plan, options: ContainerSystemOptions): Promise<ContainerSystem> {
    if (!isRenewable(plan.topology)) return startContainerSystem(plan, options);
    const key = JSON.stringify([plan.topology, options.image, options.proxyPort]);
    if (this.#kept !== undefined && !(this.#kept.key === key && (await this.#kept.stage.renew()))) await this.#drop();
    await using stack = new AsyncDisposableStack();
    if (this.#kept !== undefined) {
      const { home, stage } = this.#kept;
      return await startOnStage(plan, {
        logFolder: options.logFolder,
        home,
        stage: () => Promise.resolve(stage),
        stack,
      });
    }
    await using servers = new AsyncDisposableStack();
    const home = servers.use(await RunHome.open());
    const begin = async (): Promise<ContainerStage> => {
      const stage = servers.use(await ContainerStage.start(home, plan.topology, options));
      this.#kept = { key, home, stage, stack: servers.move() };
      return stage;
    };
    return await startOnStage(plan, { logFolder: options.logFolder, home, stage: begin, stack });
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
