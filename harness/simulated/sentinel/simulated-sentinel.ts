import type { Host } from "../kernel/host.ts";
import type { Network } from "../network/network.ts";
import type { Reply } from "../redis/protocol/reply.ts";
import { SentinelProcess } from "./sentinel-process.ts";
import type { SentinelOptions } from "./sentinel-options.ts";

/** An event that a Sentinel has published to its clients: `+sdown`, `master lockstorm 10.0.0.1 6379`. */
export interface SentinelEvent {
  readonly timeUs: number;
  readonly channel: string;
  readonly message: string;
}

/**
 * A Redis Sentinel on a simulated host of kind `service`: it watches nodes, talks with other Sentinels and serves
 * clients over the simulated network, and keeps its configuration when it is killed. Pauses, kills and clock jumps are
 * those of its host.
 */
export class SimulatedSentinel {
  readonly host: Host;
  readonly #network: Network;
  readonly #initial: SentinelOptions;
  readonly #listeners: ((event: SentinelEvent) => void)[] = [];
  #configuration: SentinelOptions;
  #process: SentinelProcess | undefined;

  /**
   * Nothing happens before `start`.
   * @param host of kind `service`, added to `network`
   */
  constructor(host: Host, network: Network, options: SentinelOptions) {
    this.host = host;
    this.#network = network;
    this.#initial = options;
    this.#configuration = options;
  }

  /** The current content of its configuration file. */
  get configuration(): SentinelOptions {
    return this.#configuration;
  }

  /**
   * Starts its process: at first, and again after its host was killed.
   * @param options `keepData: false` forgets what was learnt, and starts with the first options
   */
  start(options: { readonly keepData: boolean } = { keepData: true }): void {
    if (!options.keepData) this.#configuration = this.#initial;
    this.host.start();
    this.#process = new SentinelProcess({ host: this.host, network: this.#network }, this.#configuration, {
      onEvent: (channel, message) => this.#tell(channel, message),
      save: (configuration) => {
        this.#configuration = configuration;
      },
    });
  }

  /**
   * Runs a command directly, not over the network, regardless of the state of its host.
   * @throws Error when it was never started
   */
  command(...argv: readonly string[]): Reply {
    const process = this.#process;
    if (process === undefined) throw new Error(`${this.host.name} was not started`);
    return process.command(argv);
  }

  /** Calls `listener` for each event that it publishes, at the same instant, whether or not anybody has subscribed. */
  onEvent(listener: (event: SentinelEvent) => void): void {
    this.#listeners.push(listener);
  }

  #tell(channel: string, message: string): void {
    const { kernel } = this.host;
    kernel.trace(`${kernel.now} ${this.host.name} publishes ${channel} ${message}`);
    for (const listener of this.#listeners) listener({ timeUs: kernel.now, channel, message });
  }
}
