import type { Host } from "../kernel/host.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionTap } from "./connection-tap.ts";
import type { Endpoint } from "./endpoint.ts";
import { openConnection } from "./handshake.ts";
import { Link } from "./link.ts";
import type { Latency } from "./pipe.ts";
import { ServiceConnection, type ConnectionHandler, type Service } from "./service.ts";
import { SendRate, type Flood } from "./send-rate.ts";
import { SimulatedSocket } from "./simulated-socket.ts";

export interface NetworkOptions {
  /** Latency of each direction of a connection, for all or for each two hosts. Default: 50 to 250 microseconds. */
  readonly latency?: Latency | ((one: Host, other: Host) => Latency) | undefined;
}

/** The bytes that a host is about to send. */
export interface Sending {
  readonly from: Host;
  readonly to: Host;
  /** `client-0>node-0#1`, for either direction. */
  readonly connection: string;
  readonly bytes: Uint8Array;
}

/** A connection that was just opened. */
export interface Opened {
  readonly client: Host;
  readonly server: Host;
  /** `client-0>node-0#1`. */
  readonly name: string;
}

export const DEFAULT_LATENCY: Latency = { minUs: 50, maxUs: 250 };

/** Linux takes ports for connections from this range (`net.ipv4.ip_local_port_range`). */
const FIRST_FREE_PORT = 32_768;
const LAST_FREE_PORT = 60_999;

/**
 * TCP between hosts, in memory. Each host has an address; the address or the host's name reaches it. Faults act on
 * links, from one host to another; the names of hosts and faults are those of `NetworkControl` in core.
 */
export class Network {
  readonly kernel: Kernel;
  readonly latencyBetween: (one: Host, other: Host) => Latency;
  /** Gives a new connection its tap. Undefined: no connection has one. */
  tap: ((connection: Opened) => ConnectionTap | undefined) | undefined;
  readonly #addresses = new Map<Host, string>();
  readonly #hosts = new Map<string, Host>();
  readonly #links = new Map<Host, Map<Host, Link>>();
  readonly #listeners = new Map<Host, Map<number, Service>>();
  readonly #everListened = new Map<Host, Set<number>>();
  readonly #deadAddresses = new Map<Host, Set<string>>();
  /** For each host, the hosts that it has tried to reach. */
  readonly #sought = new Map<Host, Set<Host>>();
  readonly #ends = new Map<Host, Set<Endpoint>>();
  readonly #ports = new Map<Host, number>();
  readonly #connectionCounts = new Map<Link, number>();
  readonly #sendListeners: ((sending: Sending) => void)[] = [];
  #sendRate: SendRate | undefined;

  constructor(kernel: Kernel, options: NetworkOptions = {}) {
    this.kernel = kernel;
    const { latency = DEFAULT_LATENCY } = options;
    this.latencyBetween = typeof latency === "function" ? latency : () => latency;
    kernel.onHostState((host) => this.#followState(host));
  }

  /** Connects a host to the network. Default addresses are `10.0.0.1` and so on, in the order of adding. */
  add(host: Host, address = `10.0.${(this.#addresses.size + 1) >> 8}.${(this.#addresses.size + 1) & 255}`): string {
    this.#addresses.set(host, address);
    this.#hosts.set(address, host);
    this.#hosts.set(host.name, host);
    this.#ends.set(host, new Set());
    host.sockets = {
      create: (options) => new SimulatedSocket(this, host, options),
      resolve: (name) => this.resolve(name),
    };
    return address;
  }

  /** @throws Error for a host that was not added */
  addressOf(host: Host): string {
    const address = this.#addresses.get(host);
    if (address === undefined) throw new Error(`${host.name} was not added to the network`);
    return address;
  }

  /** Accepts connections to a port of `host`, until the host dies or the listener is closed. */
  listen(host: Host, port: number, service: Service): { close(): void } {
    const ports = this.#listeners.get(host) ?? new Map<number, Service>();
    if (ports.has(port)) throw new Error(`${host.name} listens on port ${port} already`);
    this.#listeners.set(host, ports.set(port, service));
    const ever = this.#everListened.get(host) ?? new Set<number>();
    this.#everListened.set(host, ever.add(port));
    return { close: () => void (ports.get(port) === service && ports.delete(port)) };
  }

  /**
   * Opens a connection from a service's host. `onConnect` gets it and returns its handler; `onFailure` is called
   * instead when it cannot be opened.
   * @returns a function that cancels the attempt
   */
  dial(
    from: Host,
    address: string,
    port: number,
    caller: {
      onConnect(connection: ServiceConnection): ConnectionHandler;
      onFailure(code: "ECONNREFUSED" | "ETIMEDOUT" | "EHOSTUNREACH"): void;
    },
  ): () => void {
    return openConnection(this, from, address, port, {
      onConnect: (end) => new ServiceConnection(end, (connection) => caller.onConnect(connection)).onOpen(),
      onFailure: (code) => caller.onFailure(code),
    });
  }

  /** The link from one host to another, on which faults are set. */
  link(from: Host, to: Host): Link {
    let links = this.#links.get(from);
    if (links === undefined) this.#links.set(from, (links = new Map()));
    let link = links.get(to);
    if (link === undefined) links.set(to, (link = new Link(from, to)));
    return link;
  }

  /** Resets every connection between two hosts, opened by either. Returns how many there were. */
  reset(a: Host, b: Host): number {
    const connections = [...this.link(a, b).connections, ...(a === b ? [] : this.link(b, a).connections)];
    for (const { client, server } of connections) {
      client.breakNow();
      server.breakNow();
    }
    return connections.length;
  }

  /**
   * Calls `listener` whenever a host is about to send bytes. If the listener pauses that host, these bytes and all that
   * the current step still writes leave only after the pause: the host stops between a check and the write that relies
   * on it.
   */
  onSend(listener: (sending: Sending) => void): void {
    this.#sendListeners.push(listener);
  }

  /** Calls the listener when a host sends without pause: see `SendRate`. */
  onFlood(listener: (flood: Flood) => void): void {
    this.#sendRate = new SendRate(listener);
  }

  /** How many ends of connections a host has open. */
  openEndsOf(host: Host): number {
    return this.#ends.get(host)?.size ?? 0;
  }

  /**
   * Where a host tried to connect although nothing ever listened there, as `127.0.0.1:6379`, or the name of a host that
   * does not exist.
   */
  deadAddressesOf(host: Host): readonly string[] {
    return [...(this.#deadAddresses.get(host) ?? [])];
  }

  /** The hosts to which a host tried to connect, whether they answered or not. */
  soughtBy(host: Host): readonly Host[] {
    return [...(this.#sought.get(host) ?? [])];
  }

  /** For the handshake and sockets: a host tries to connect. */
  noticeTry(from: Host, address: string, port: number): void {
    const to = this.hostAt(from, address);
    if (to !== undefined) this.#sought.set(from, (this.#sought.get(from) ?? new Set()).add(to));
    if (to !== undefined && this.#everListened.get(to)?.has(port) === true) return;
    const dead = this.#deadAddresses.get(from) ?? new Set<string>();
    this.#deadAddresses.set(from, dead.add(`${address}:${port}`));
  }

  /** For endpoints. */
  noticeSending(end: Endpoint, connection: Connection, bytes: Uint8Array): void {
    this.#sendRate?.sent(end.host, end.peer.host, this.kernel.now);
    if (this.#sendListeners.length === 0) return;
    const sending = { from: end.host, to: end.peer.host, connection: connection.name, bytes };
    this.kernel.asWorld(() => {
      for (const listener of this.#sendListeners) listener(sending);
    });
  }

  /** For connections. */
  forget(end: Endpoint): void {
    this.#ends.get(end.host)?.delete(end);
  }

  /** For the handshake: the host at an address, as seen from `from`. */
  hostAt(from: Host, address: string): Host | undefined {
    return address.startsWith("127.") || address === "localhost" ? from : this.#hosts.get(address);
  }

  /** For the handshake. */
  isListening(host: Host, port: number): boolean {
    return this.#listeners.get(host)?.has(port) === true;
  }

  /** For the handshake: the server's machine has answered; its process accepts when the client's last packet comes. */
  awaitOpening(connection: Connection): void {
    const { client, server } = connection;
    this.#ends.get(client.host)?.add(client);
    this.#ends.get(server.host)?.add(server);
    const service = this.#listeners.get(server.host)?.get(server.port);
    if (service !== undefined) void new ServiceConnection(server, (accepted) => service.onConnect(accepted));
  }

  /** For the handshake. */
  nameConnection(from: Host, to: Host): string {
    const link = this.link(from, to);
    const count = (this.#connectionCounts.get(link) ?? 0) + 1;
    this.#connectionCounts.set(link, count);
    return `${from.name}>${to.name}#${count}`;
  }

  /** For the handshake: a port of the connecting host. */
  freePort(host: Host): number {
    const port = this.#ports.get(host) ?? FIRST_FREE_PORT;
    this.#ports.set(host, port === LAST_FREE_PORT ? FIRST_FREE_PORT : port + 1);
    return port;
  }

  /** The address of a host's name; undefined for an unknown one. An address resolves to itself. */
  resolve(name: string): string | undefined {
    if (name === "localhost") return "127.0.0.1";
    if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return name;
    const host = this.#hosts.get(name);
    return host === undefined ? undefined : this.#addresses.get(host);
  }

  #followState(host: Host): void {
    if (host.state === "dead") {
      this.#listeners.delete(host);
      const ends = [...(this.#ends.get(host) ?? [])];
      for (const end of ends) {
        if (host.powered) end.close();
        else end.vanish();
      }
    } else if (host.state === "running") {
      for (const links of this.#links.values()) links.get(host)?.release();
    }
  }
}
