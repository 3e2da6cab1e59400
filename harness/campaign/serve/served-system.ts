import { RunClock } from "../../containers/run-clock.ts";
import type { ClientHandle, ClientReply, Evidence, Notice, ProcessState, SystemUnderTest } from "../../core/system.ts";
import type { TopologySpec } from "../../core/topology.ts";
import type { LiveServers } from "../../live/live-servers.ts";

/** A program that uses the servers from outside: nothing is known of it, and nothing can be done to it. */
class ForeignClient implements ClientHandle {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  state(): Promise<ProcessState> {
    return Promise.resolve("running");
  }

  pause(): Promise<Evidence> {
    return this.#cannot("stop it");
  }

  resume(): Promise<Evidence> {
    return this.#cannot("let it go on");
  }

  kill(): Promise<Evidence> {
    return this.#cannot("end it");
  }

  jumpClock(): Promise<Evidence> {
    return this.#cannot("set its clock");
  }

  perform(): Promise<ClientReply> {
    return Promise.resolve({ ok: false, kind: "unsupported", reason: `${this.name} is a program of its own` });
  }

  onLost(): void {}

  onRenewed(): void {}

  onQueued(): void {}

  #cannot(what: string): Promise<Evidence> {
    return Promise.resolve({
      observed: false,
      detail: `${this.name} is a program of its own: lockstorm cannot ${what}`,
    });
  }
}

/** Servers that programs from outside use, as faults need them. */
export class ServedSystem implements SystemUnderTest {
  readonly topology: TopologySpec;
  readonly clock = new RunClock();
  readonly clients: readonly ClientHandle[];
  readonly nodes: LiveServers["nodes"];
  readonly network: LiveServers["network"];
  readonly resource: LiveServers["resource"];
  readonly #servers: LiveServers;
  readonly #onNotice: (listener: (notice: Notice) => void) => void;

  constructor(
    servers: LiveServers,
    clients: readonly string[],
    onNotice: (listener: (notice: Notice) => void) => void,
  ) {
    this.topology = servers.topology;
    this.clients = clients.map((name) => new ForeignClient(name));
    this.nodes = servers.nodes;
    this.network = servers.network;
    this.resource = servers.resource;
    this.#servers = servers;
    this.#onNotice = onNotice;
    this.clock.begin();
  }

  roles(): Promise<{ readonly masters: readonly string[]; readonly replicas: readonly string[] }> {
    return this.#servers.roles();
  }

  requestFailover(): Promise<Evidence> {
    return this.#servers.requestFailover();
  }

  onNotice(listener: (notice: Notice) => void): void {
    this.#onNotice(listener);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#servers[Symbol.asyncDispose]();
  }
}
