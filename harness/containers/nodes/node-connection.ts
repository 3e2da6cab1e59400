import { Redis } from "ioredis";
import { HarnessError, messageOf } from "../../core/errors.ts";
import type { Address } from "../../core/lock-driver.ts";
import { COMMAND_TIMEOUT_MS } from "../servers/server-kind.ts";

/**
 * The harness's own connection to a Redis server or Sentinel, which reconnects by itself while it is open. A command
 * without a connection fails at once. It is opened and closed with the server, because ioredis ends for good when it is
 * told to connect while it is closing.
 */
export class NodeConnection implements Disposable {
  readonly #name: string;
  readonly #address: Address;
  #redis: Redis;

  /** @param name of the server, for errors */
  constructor(name: string, address: Address) {
    this.#name = name;
    this.#address = address;
    this.#redis = connect(address);
  }

  open(): void {
    this.#redis.disconnect();
    this.#redis = connect(this.#address);
  }

  /** Runs a Redis command. @throws HarnessError when it fails, or takes too long */
  async command(...args: readonly (string | number)[]): Promise<unknown> {
    const [name, ...rest] = args;
    try {
      return await this.#redis.call(String(name), ...rest);
    } catch (error) {
      throw new HarnessError(`${this.#name} did not execute ${name}: ${messageOf(error)}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    this.#redis.disconnect();
  }
}

function connect(address: Address): Redis {
  const redis = new Redis({
    ...address,
    protocol: 2,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    commandTimeout: COMMAND_TIMEOUT_MS,
    retryStrategy: () => 5,
  });
  // A node that faults stop and start loses connections all the time; a failed command reports what matters.
  redis.on("error", () => {});
  return redis;
}
