import { GenericContainer, type WaitStrategy } from "testcontainers";
import type { RunNetwork } from "./network.ts";

/** A container that is ready when it runs: whether its server answers is found out by asking the server. */
class RunningStrategy implements WaitStrategy {
  async waitUntilReady(): Promise<void> {}
  withStartupTimeout(): this {
    return this;
  }
  isStartupTimeoutSet(): boolean {
    return false;
  }
  getStartupTimeout(): number {
    return 0;
  }
}

/** What a container of a run is made of. */
export interface RunContainerOptions {
  readonly image: string;
  readonly command: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly binds?: readonly { readonly source: string; readonly target: string }[];
  /** `network`: a static address in the run's network, with NET_ADMIN. `host`: the host's own network, for loopback. */
  readonly place: { readonly network: RunNetwork; readonly address: string } | "host";
}

/**
 * Testcontainers' container with what its builder has no method for: a static address. The network is named as the
 * container's only one, because an alias would also attach the default bridge, a second path around every partition.
 */
export class RunContainer extends GenericContainer {
  constructor(options: RunContainerOptions) {
    super(options.image);
    this.withCommand([...options.command])
      .withLabels({ ...options.labels })
      .withWaitStrategy(new RunningStrategy())
      .withAutoCleanup(false)
      .withBindMounts((options.binds ?? []).map((bind) => ({ ...bind, mode: "rw" as const })));
    if (options.place === "host") {
      this.withNetworkMode("host");
      return;
    }
    const { network, address } = options.place;
    this.withNetworkMode(network.name).withAddedCapabilities("NET_ADMIN");
    this.createOpts.NetworkingConfig = {
      EndpointsConfig: { [network.name]: { IPAMConfig: { IPv4Address: address } } },
    };
  }
}
