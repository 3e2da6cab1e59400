import type { GenericContainer, StartedTestContainer, WaitStrategy } from "testcontainers";
import type { RunNetwork } from "../links/network.ts";
import { loadTestcontainers } from "./load-testcontainers.ts";

/** A container that counts as ready when it runs; whether its server answers is found out by asking the server. */
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
  /** `network`: a static address in the run's network. `host`: the host's own network, for loopback. */
  readonly place: { readonly network: RunNetwork; readonly address: string } | "host";
  /** The only capabilities that it keeps. */
  readonly capabilities: readonly string[];
  /** The user of its first process, if not root. */
  readonly user?: string;
  /** A writable directory, on a volume that lives and dies with the container; all others are read-only. */
  readonly data?: string;
}

const MEBIBYTE = 1024 ** 2;
/** Several times what any of the servers needs at work; a runaway server must not exhaust the machine. */
const MEMORY_BYTES = 768 * MEBIBYTE;
/** PostgreSQL has a process for each of its 200 connections. */
const MOST_PROCESSES = 512;
const SCRATCH = { "/tmp": "rw,nosuid,nodev,size=64m", "/run": "rw,nosuid,nodev,noexec,size=16m" };

/**
 * Starts a container of a run.
 * @throws UserError when testcontainers is not installed
 */
export async function startContainer(options: RunContainerOptions): Promise<StartedTestContainer> {
  const RunContainer = containerClass(loadTestcontainers().GenericContainer);
  return await new RunContainer(options).start();
}

/**
 * Testcontainers' container with a static address, for which its builder has no method. The network is named as the
 * container's only one, because an alias would also attach the default bridge, a second path around every partition.
 */
function containerClass(Container: typeof GenericContainer) {
  return class RunContainer extends Container {
    constructor(options: RunContainerOptions) {
      super(options.image);
      this.withCommand([...options.command])
        .withLabels({ ...options.labels })
        .withWaitStrategy(new RunningStrategy())
        .withAutoCleanup(false)
        .withBindMounts((options.binds ?? []).map((bind) => ({ ...bind, mode: "rw" as const })))
        .withDroppedCapabilities("ALL")
        .withAddedCapabilities(...options.capabilities)
        .withSecurityOpt("no-new-privileges")
        .withTmpFs(SCRATCH);
      if (options.user !== undefined) this.withUser(options.user);
      Object.assign(this.hostConfig, {
        ReadonlyRootfs: true,
        Memory: MEMORY_BYTES,
        // The same: no swap beyond it.
        MemorySwap: MEMORY_BYTES,
        PidsLimit: MOST_PROCESSES,
      });
      if (options.data !== undefined) {
        this.hostConfig.Mounts = [{ Type: "volume", Source: "", Target: options.data, ReadOnly: false }];
      }
      if (options.place === "host") {
        this.withNetworkMode("host");
        return;
      }
      const { network, address } = options.place;
      this.withNetworkMode(network.name);
      this.createOpts.NetworkingConfig = {
        EndpointsConfig: { [network.name]: { IPAMConfig: { IPv4Address: address } } },
      };
    }
  };
}
