import type { Address } from "../core/lock-driver.ts";
import type { Host } from "../simulated/kernel/host.ts";
import type { Kernel } from "../simulated/kernel/kernel.ts";
import type { Latency } from "../simulated/network/pipe.ts";
import { DEFAULT_LATENCY, type Network } from "../simulated/network/network.ts";

/** A client outside, as the simulation knows it. */
export interface OutsideClient {
  readonly host: Host;
  /** Where it reaches each server, by the server's address in the simulation: `10.213.0.10:6379`. */
  readonly places: Map<string, Address>;
}

/** Connections from outside have a latency of their own already. */
const NO_LATENCY: Latency = { minUs: 0, maxUs: 0 };

/** The programs of this machine that use the servers of a simulation: each is a host of the simulated network. */
export class OutsideClients {
  readonly #hosts = new Set<Host>();
  readonly #byAddress = new Map<string, OutsideClient>();

  /** The latency of a message between two hosts. */
  readonly latency = (one: Host, other: Host): Latency =>
    this.#hosts.has(one) || this.#hosts.has(other) ? NO_LATENCY : DEFAULT_LATENCY;

  /** Where a client, told by its address in the simulation with its port, reaches a server of the simulation. */
  readonly placeFor = (peer: string, { host, port }: Address): Address =>
    this.#byAddress.get(peer.replace(/:\d+$/, ""))?.places.get(`${host}:${port}`) ?? { host, port };

  /** Gives each of the clients a host and an address. */
  join(kernel: Kernel, network: Network, names: readonly string[]): readonly OutsideClient[] {
    return names.map((name, index) => {
      const host = kernel.host(name, { runs: "service" });
      const address = `10.213.0.${100 + index}`;
      network.add(host, address);
      const client: OutsideClient = { host, places: new Map() };
      this.#hosts.add(host);
      this.#byAddress.set(address, client);
      return client;
    });
  }
}
