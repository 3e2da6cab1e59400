import type {
  AuditEntry,
  ClientReply,
  ClientRequest,
  Edge,
  Evidence,
  NetworkControl,
  Notice,
  ResourceHandle,
  SystemUnderTest,
} from "../../core/system.ts";
import { clientName, dataNodes, sentinelNodes, topologySchema, type TopologySpec } from "../../core/topology.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";
import { FakeClient } from "./fake-client.ts";
import { FakeLock, FakeResource } from "./fake-lock.ts";
import { FakeNode } from "./fake-process.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** How long an operation takes, in milliseconds. */
const LATENCY_MS = 1;
/** How long a fault takes to be injected, in milliseconds, unless a test says otherwise. */
const INJECTION_MS = 0;

export interface FakeSystemOptions {
  readonly topology?: TopologyKind;
  readonly clients?: number;
}

/**
 * A system in memory on a virtual clock: a lock with fencing tokens, a guarded resource, processes that are only states,
 * and a log of everything that was done to it. Tests program what it answers and what is seen of a fault.
 */
export class FakeSystem implements SystemUnderTest {
  readonly topology: TopologySpec;
  readonly clock = new VirtualClock();
  readonly nodes: readonly FakeNode[];
  readonly clients: readonly FakeClient[];
  readonly network: NetworkControl;
  readonly resource: ResourceHandle;
  readonly lock = new FakeLock();
  /** What was done to it, in order: `"client-0 pause"`, `"cut client-0->node-0"`. */
  readonly actions: string[] = [];
  /** The same with the time in milliseconds. */
  readonly timedActions: (readonly [atMs: number, action: string])[] = [];

  /** What answers a request instead of the lock and the resource; undefined leaves it to them. */
  answer: (client: string, request: ClientRequest) => ClientReply | Promise<ClientReply> | undefined = () => undefined;
  /** Whether the effect of an action is seen. It may throw, as a broken harness does. */
  observed: (action: string) => boolean = () => true;
  injectionMs = INJECTION_MS;
  masters: readonly string[];

  readonly #notices: ((notice: Notice) => void)[] = [];
  readonly #audits: ((entry: AuditEntry) => void)[] = [];

  constructor({ topology = "single", clients = 2 }: FakeSystemOptions = {}) {
    this.topology = topologySchema.parse({ kind: topology });
    this.masters = topology === "sentinel" ? ["node-0"] : dataNodes(topology);
    const act = (action: string): Promise<Evidence> => this.#act(action);
    this.nodes = [
      ...dataNodes(topology).map((name) => new FakeNode(name, "data", act)),
      ...sentinelNodes(topology).map((name) => new FakeNode(name, "sentinel", act)),
    ];
    const resource = new FakeResource((entry) => this.#audits.forEach((listener) => listener(entry)));
    this.clients = Array.from({ length: clients }, (_, index) => {
      const name = clientName(index);
      return new FakeClient(name, act, (request) => this.#serve(name, request, resource));
    });
    const onEdge = (action: string) => (edge: Edge) => act(`${action} ${edge.from}->${edge.to}`);
    this.network = {
      cut: onEdge("cut"),
      delay: (edge, ms) => onEdge(`delay ${ms}`)(edge),
      stall: onEdge("stall"),
      reset: onEdge("reset"),
      heal: onEdge("heal"),
    };
    this.resource = {
      onAudit: (listener) => void this.#audits.push(listener),
      drain: () => Promise.resolve(),
      forgetFences: () => act("resource forget"),
    };
  }

  async roles(): Promise<{ readonly masters: readonly string[]; readonly replicas: readonly string[] }> {
    const replicas = dataNodes(this.topology.kind).filter((name) => !this.masters.includes(name));
    return { masters: this.masters, replicas };
  }

  requestFailover(): Promise<Evidence> {
    return this.#act("failover");
  }

  onNotice(listener: (notice: Notice) => void): void {
    this.#notices.push(listener);
  }

  /** The system notices something by itself. */
  notice(notice: Notice): void {
    for (const listener of this.#notices) listener(notice);
  }

  /** The client of that number. */
  client(index: number): FakeClient {
    return present(this.clients[index], clientName(index));
  }

  /** The node of that name. */
  node(name: string): FakeNode {
    return present(
      this.nodes.find((node) => node.name === name),
      name,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #act(action: string): Promise<Evidence> {
    this.actions.push(action);
    this.timedActions.push([this.clock.nowMs, action]);
    const observed = this.observed(action);
    if (this.injectionMs > 0) await this.clock.sleep(this.injectionMs);
    return { observed, detail: `${observed ? "saw" : "did not see"} ${action}` };
  }

  async #serve(client: string, request: ClientRequest, resource: FakeResource): Promise<ClientReply> {
    await this.clock.sleep(LATENCY_MS);
    const programmed = this.answer(client, request);
    if (programmed !== undefined) return programmed;
    switch (request.op) {
      case "acquire":
        return this.#acquire(request);
      case "extend":
        return this.lock.extend(request, this.clock.now());
      case "release":
        return this.lock.release(request, this.clock.now());
      case "read":
        return resource.read(request);
      case "write":
        return resource.write(request);
    }
  }

  /** Tries every 10 ms until `waitMs` are over. */
  async #acquire(request: Extract<ClientRequest, { op: "acquire" }>): Promise<ClientReply> {
    const untilMs = this.clock.nowMs + request.waitMs;
    for (;;) {
      const reply = this.lock.acquire(request, this.clock.now());
      if (reply.ok || this.clock.nowMs >= untilMs) return reply;
      await this.clock.sleep(10);
    }
  }
}

function present<T>(found: T | undefined, name: string): T {
  if (found === undefined) throw new Error(`the fake system has no ${name}`);
  return found;
}
