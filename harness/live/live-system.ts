import { messageOf } from "../core/errors.ts";
import { messageTriggersOf } from "../core/messages/plan-triggers.ts";
import type { Plan } from "../core/plan.ts";
import type { Evidence, Notice, SystemUnderTest } from "../core/system.ts";
import { clientName, RESOURCE, type TopologySpec } from "../core/topology.ts";
import { RunScope } from "../containers/cleanup/run-scope.ts";
import type { ClientProcess } from "../containers/clients/client-process.ts";
import { startClients } from "../containers/clients/start-clients.ts";
import { settleAll } from "../containers/engine/settle-all.ts";
import { FreezeWatch } from "../containers/freeze-watch.ts";
import { watchClients } from "../containers/nodes/death-watch.ts";
import { RunClock } from "../containers/run-clock.ts";
import type { LiveMessages } from "./live-messages.ts";
import { LiveServers } from "./live-servers.ts";

/**
 * Starts a plan's clients as processes, on the simulated servers in real time, and waits until all is ready for faults.
 * Everything that was started is ended when it is disposed, when starting fails, and, by a watchdog, when this process
 * dies.
 * @throws UserError when the lock under test cannot connect
 */
export async function startLiveSystem(
  plan: Plan,
  options: {
    readonly logFolder: string;
    /** Records the commands, and what the servers held. Default: false. */
    readonly wire?: boolean | undefined;
  },
): Promise<LiveSystem> {
  await using stack = new AsyncDisposableStack();
  const { topology, seed, lock, resource: checks } = plan;
  const scope = stack.use(await RunScope.open(false));
  const clock = new RunClock();
  const notices = new Notices();
  const names = plan.clients.map((_, index) => clientName(index));
  const recordedBy = options.wire === true ? (reading: bigint) => clock.ofReading(reading) : undefined;
  const followMessages = messageTriggersOf(plan).length > 0;
  const [clients, servers] = await settleAll([
    startClients(plan, scope, { clock, logFolder: options.logFolder, stack }),
    LiveServers.start({ topology, seed, clients: names, followMessages, recordedBy }, notices.tell),
  ]);
  stack.use(servers);
  servers.failure.catch((error: unknown) => {
    notices.tell({ kind: "died", name: "the simulation", evidence: messageOf(error) });
  });
  await settleAll(
    clients.map((client) =>
      client.connect({
        lock,
        servers: servers.serversFor(client.name),
        resource: servers.addressOf(client.name, RESOURCE),
        checks,
      }),
    ),
  );
  stack.use(watchClients(clients, notices.tell));
  const freezes = stack.use(FreezeWatch.ofProcesses(clients, clock, notices.tell));
  clock.begin();
  freezes.begin();
  servers.beginMessages();
  return new LiveSystem({ clock, clients, servers, freezes, notices }, stack.move());
}

/** Passes on what is noticed to those who listen at that time. */
class Notices {
  readonly #listeners: ((notice: Notice) => void)[] = [];

  readonly tell = (notice: Notice): void => {
    for (const listener of this.#listeners) listener(notice);
  };

  listen(listener: (notice: Notice) => void): void {
    this.#listeners.push(listener);
  }
}

interface LiveSystemParts {
  readonly clock: RunClock;
  readonly clients: readonly ClientProcess[];
  readonly servers: LiveServers;
  readonly freezes: FreezeWatch;
  readonly notices: Notices;
}

/** Client processes on the simulated servers, in real time. */
export class LiveSystem implements SystemUnderTest {
  readonly topology: TopologySpec;
  readonly clock: RunClock;
  readonly nodes: LiveServers["nodes"];
  readonly clients: readonly ClientProcess[];
  readonly network: LiveServers["network"];
  readonly resource: LiveServers["resource"];
  /** Present if the plan waits for messages, or if they are recorded. */
  readonly messages?: LiveMessages;
  readonly #parts: LiveSystemParts;
  readonly #stack: AsyncDisposableStack;

  constructor(parts: LiveSystemParts, stack: AsyncDisposableStack) {
    const { clock, clients, servers } = parts;
    this.topology = servers.topology;
    this.clock = clock;
    this.nodes = servers.nodes;
    this.clients = clients;
    this.network = servers.network;
    this.resource = servers.resource;
    if (servers.messages !== undefined) this.messages = servers.messages;
    this.#parts = parts;
    this.#stack = stack;
  }

  roles(): Promise<{ readonly masters: readonly string[]; readonly replicas: readonly string[] }> {
    return this.#parts.servers.roles();
  }

  requestFailover(): Promise<Evidence> {
    return this.#parts.servers.requestFailover();
  }

  onNotice(listener: (notice: Notice) => void): void {
    this.#parts.notices.listen(listener);
  }

  endWatch(): void {
    this.#parts.freezes.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
