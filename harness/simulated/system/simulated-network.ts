import { UserError } from "../../core/errors.ts";
import type { Edge, Evidence, NetworkControl } from "../../core/system.ts";
import type { Host } from "../kernel/host.ts";
import type { Link } from "../network/link.ts";
import type { Network } from "../network/network.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** Network faults of a simulation. They apply to everything that is sent over an edge after the call. */
export class SimulatedNetwork implements NetworkControl {
  readonly #network: Network;
  readonly #hosts: ReadonlyMap<string, Host>;

  constructor(network: Network, hosts: ReadonlyMap<string, Host>) {
    this.#network = network;
    this.#hosts = hosts;
  }

  cut(edge: Edge): Promise<Evidence> {
    const link = this.#link(edge);
    link.cut = true;
    return seen(link.cut, edge, "is cut");
  }

  stall(edge: Edge): Promise<Evidence> {
    const link = this.#link(edge);
    link.stalled = true;
    return seen(link.stalled, edge, "holds its bytes");
  }

  delay(edge: Edge, ms: number): Promise<Evidence> {
    const link = this.#link(edge);
    link.delayUs = Math.round(ms * 1000);
    return seen(link.delayUs > 0, edge, `takes ${inFigures(ms)} ms longer`);
  }

  reset(edge: Edge): Promise<Evidence> {
    const count = this.#network.reset(this.#host(edge.from), this.#host(edge.to));
    return seen(count > 0, edge, `had ${count} connection(s) reset`);
  }

  heal(edge: Edge): Promise<Evidence> {
    const link = this.#link(edge);
    link.heal();
    return seen(!link.cut && !link.stalled && link.delayUs === 0, edge, "passes again");
  }

  #link({ from, to }: Edge): Link {
    return this.#network.link(this.#host(from), this.#host(to));
  }

  #host(name: string): Host {
    const host = this.#hosts.get(name);
    if (host === undefined) throw new UserError(`this run has no "${name}"`, "correct the targets of the fault");
    return host;
  }
}

function seen(observed: boolean, { from, to }: Edge, what: string): Promise<Evidence> {
  return Promise.resolve({ observed, detail: `${from} -> ${to} ${what}` });
}
