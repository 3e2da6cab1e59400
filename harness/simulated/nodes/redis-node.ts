import type { Host } from "../kernel/host.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Network } from "../network/network.ts";
import type { Effect } from "../redis/effects.ts";
import type { RedisServer, RedisVersion } from "../redis/server.ts";
import type { WorldHooks } from "../redis/world-hooks.ts";
import { Disk } from "./disk.ts";
import { RedisProcess, type MasterAddress, type NodeConfiguration } from "./redis-process.ts";
import type { SnapshotExchange } from "./snapshot-exchange.ts";

export interface RedisNodeOptions {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly exchange: SnapshotExchange;
  readonly name: string;
  readonly address: string;
  readonly version: RedisVersion;
  /** Directives of redis.conf. */
  readonly config: Readonly<Record<string, string>>;
  /** The master that it follows from the start; absent for a master. */
  readonly master?: MasterAddress;
  /** Where a peer reaches a server; absent: at the server's own address. */
  readonly placeFor?: WorldHooks["placeFor"] | undefined;
  /** Called when a command made it master: a promotion. */
  readonly onPromotion?: () => void;
  /** Given every change of the data. */
  readonly onEffects?: (effects: readonly Effect[]) => void;
  /** Given the node after each turn of its server's loop, and when it has started. */
  readonly onTurn?: ((node: RedisNode) => void) | undefined;
}

/** A machine with a Redis server: a host, a disk, a configuration file, and in each life of the host a process. */
export class RedisNode {
  readonly name: string;
  readonly address: string;
  readonly host: Host;
  readonly disk = new Disk();
  readonly #options: RedisNodeOptions;
  readonly #initial: NodeConfiguration;
  #configuration: NodeConfiguration;
  #process: RedisProcess;

  /** It runs from the start. */
  constructor(options: RedisNodeOptions) {
    const { kernel, network, name, address, config, master } = options;
    this.#options = options;
    this.name = name;
    this.address = address;
    this.#initial = { directives: config, master };
    this.#configuration = this.#initial;
    this.host = kernel.host(name, { runs: "service" });
    network.add(this.host, address);
    this.#process = this.#boot();
    options.onTurn?.(this);
  }

  /** The server of its current life, or of the last one when it is dead. */
  get server(): RedisServer {
    return this.#process.server;
  }

  /**
   * Starts it when it is dead, from its disk and with the configuration that CONFIG REWRITE left; or, without
   * `keepData`, empty and with its first configuration.
   */
  start(keepData: boolean): void {
    if (this.host.state !== "dead") return;
    if (!keepData) {
      this.disk.wipe();
      this.#configuration = this.#initial;
    }
    this.host.start();
    this.#process = this.#boot();
    this.#options.onTurn?.(this);
  }

  /** Cuts the power at once. Returns how many changes were written but not yet synced, and are lost. */
  losePower(): number {
    this.host.powerOff();
    return this.disk.losePower();
  }

  /** Runs an event of its server's loop that does not come from the network. */
  turn(run: () => void): void {
    this.#process.turn(run);
  }

  #boot(): RedisProcess {
    const { network, exchange, version, onPromotion, onEffects, onTurn, placeFor } = this.#options;
    const { host, disk } = this;
    let isBooted = false;
    const booted = new RedisProcess(
      {
        host,
        network,
        exchange,
        disk,
        version,
        rewriteConfiguration: (configuration) => {
          this.#configuration = configuration;
        },
        onPromotion: () => onPromotion?.(),
        onEffects: (effects) => onEffects?.(effects),
        // While it boots, the node still has the process of its last life.
        placeFor,
        onTurn: onTurn === undefined ? undefined : () => (isBooted ? onTurn(this) : undefined),
      },
      this.#configuration,
    );
    isBooted = true;
    return booted;
  }
}
