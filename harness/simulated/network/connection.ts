import type { ConnectionTap } from "./connection-tap.ts";
import { Endpoint } from "./endpoint.ts";
import type { Link } from "./link.ts";
import type { Network } from "./network.ts";
import { Pipe } from "./pipe.ts";

/** A connection between two hosts: two ends and one pipe for each direction. */
export class Connection {
  readonly network: Network;
  /** `client-0>node-0#1`: the opening host, its peer, and the number of their connection. */
  readonly name: string;
  readonly client: Endpoint;
  readonly server: Endpoint;
  readonly tap: ConnectionTap | undefined;
  readonly #forth: Pipe;
  readonly #back: Pipe;

  constructor(network: Network, name: string, forth: Link, back: Link, clientPort: number, serverPort: number) {
    const { kernel } = network;
    const latency = network.latencyBetween(forth.from, forth.to);
    this.network = network;
    this.name = name;
    const tap = network.tap?.({ client: forth.from, server: forth.to, name });
    this.tap = tap;
    this.client = new Endpoint(this, forth.from, network.addressOf(forth.from), clientPort);
    this.server = new Endpoint(this, forth.to, network.addressOf(forth.to), serverPort);
    const answer = `${forth.to.name}<${name}`;
    this.#forth = new Pipe(forth, name, latency, kernel.random(`network:${name}`), this.server, tap?.requestsArrive);
    this.#back = new Pipe(back, answer, latency, kernel.random(`network:${answer}`), this.client, tap?.repliesArrive);
    forth.connections.add(this);
  }

  peerOf(end: Endpoint): Endpoint {
    return end === this.client ? this.server : this.client;
  }

  pipeFrom(end: Endpoint): Pipe {
    return end === this.client ? this.#forth : this.#back;
  }

  /** One end has closed. When both have, the connection is forgotten. */
  endClosed(end: Endpoint): void {
    this.network.forget(end);
    if (this.client.closed && this.server.closed) this.#forth.link.connections.delete(this);
  }
}
