import { AUDIT_STREAM } from "../core/audit-log.ts";
import type { Plan } from "../core/plan.ts";
import type { Evidence, Notice, SystemUnderTest } from "../core/system.ts";
import { RESOURCE, type TopologySpec } from "../core/topology.ts";
import { AuditReader } from "./audit-reader.ts";
import type { ClientProcess } from "./client-process.ts";
import { connectClients, startClients } from "./container-cast.ts";
import { ContainerNetwork } from "./container-network.ts";
import type { ContainerNode } from "./container-node.ts";
import { ContainerStage, type StageOptions } from "./container-stage.ts";
import type { Link } from "./links.ts";
import { NoticeBoard } from "./notice-board.ts";
import { RunClock } from "./run-clock.ts";
import { RunHome } from "./run-home.ts";
import { requestFailover } from "./sentinels.ts";
import { settleAll } from "./settle-all.ts";

export interface ContainerSystemOptions extends StageOptions {
  /** Where what clients and servers print goes: a folder. */
  readonly logFolder: string;
}

/**
 * Starts a plan's topology in containers, its clients as processes, and everything in between, and waits until it is
 * ready for faults. Whatever was started is removed when it is disposed, when starting fails, and, by a watchdog, when
 * this process dies.
 */
export async function startContainerSystem(plan: Plan, options: ContainerSystemOptions): Promise<ContainerSystem> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await RunHome.open());
  const stage = async (): Promise<ContainerStage> =>
    stack.use(await ContainerStage.start(home, plan.topology, options));
  return await startOnStage(plan, { logFolder: options.logFolder, home, stage, stack });
}

/**
 * Starts a plan's clients, and connects them with a stage that is made ready meanwhile. All that it starts, and all that
 * is on `stack`, belongs to the system from then on.
 */
export async function startOnStage(
  plan: Plan,
  options: {
    readonly logFolder: string;
    readonly home: RunHome;
    readonly stage: () => Promise<ContainerStage>;
    readonly stack: AsyncDisposableStack;
  },
): Promise<ContainerSystem> {
  const { logFolder, home, stack } = options;
  const clock = new RunClock();
  const [clients, stage] = await settleAll([startClients(plan, home, { clock, logFolder, stack }), options.stage()]);
  stack.defer(() => stage.saveLogs(logFolder));
  const links = await stage.link(clients.map(({ name }) => name));
  const audit = stack.use(new AuditReader(stage.address(RESOURCE), AUDIT_STREAM));
  const [notices] = await settleAll([
    NoticeBoard.start(stage, clients, stack),
    connectClients(plan, clients, stage.layout, links),
    stage.settle(),
  ]);
  clock.begin();
  return new ContainerSystem(stage, { clock, clients, links, audit, notices }, stack.move());
}

interface Cast {
  readonly clock: RunClock;
  readonly clients: readonly ClientProcess[];
  readonly links: ReadonlyMap<string, Link>;
  readonly audit: AuditReader;
  readonly notices: NoticeBoard;
}

/** A running topology in containers, with its clients. */
export class ContainerSystem implements SystemUnderTest {
  readonly topology: TopologySpec;
  readonly clock: RunClock;
  readonly nodes: readonly ContainerNode[];
  readonly clients: readonly ClientProcess[];
  readonly network: ContainerNetwork;
  readonly resource: AuditReader;
  readonly #notices: NoticeBoard;
  readonly #stack: AsyncDisposableStack;

  constructor(stage: ContainerStage, cast: Cast, stack: AsyncDisposableStack) {
    this.topology = stage.topology;
    this.clock = cast.clock;
    this.nodes = stage.nodes;
    this.clients = cast.clients;
    this.network = new ContainerNetwork(cast.links, stage.nodes);
    this.resource = cast.audit;
    this.#notices = cast.notices;
    this.#stack = stack;
  }

  onNotice(listener: (notice: Notice) => void): void {
    this.#notices.onNotice(listener);
  }

  async roles(): Promise<{ readonly masters: readonly string[]; readonly replicas: readonly string[] }> {
    const running = this.nodes.filter(({ role, expectedState }) => role === "data" && expectedState === "running");
    const answers = await Promise.all(
      running.map(async (node) => ({ name: node.name, role: await node.replicationRole() })),
    );
    const named = (role: string): readonly string[] =>
      answers.filter((answer) => answer.role === role).map(({ name }) => name);
    return { masters: named("master"), replicas: named("slave") };
  }

  requestFailover(): Promise<Evidence> {
    return requestFailover(
      this.nodes.filter(({ role, expectedState }) => role === "sentinel" && expectedState === "running"),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
