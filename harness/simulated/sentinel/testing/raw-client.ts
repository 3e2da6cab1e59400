import type { ServiceConnection } from "../../network/service.ts";
import { encodeCommand, fromBytes, toBytes } from "../../redis/resp-encoder.ts";
import { SENTINEL_PORT } from "../sentinel-options.ts";
import type { SentinelCast, WorldNode } from "./sentinel-cast.ts";

/** Long enough for a round trip in a simulated network. */
const ROUND_TRIP_MS = 2;

/** A client of a simulated Sentinel that shows the bytes of its answers. */
export class RawClient {
  readonly #world: SentinelCast<WorldNode>;
  #connection: ServiceConnection | undefined;
  #received = "";
  isClosed = false;

  private constructor(world: SentinelCast<WorldNode>) {
    this.#world = world;
  }

  /** Connects from a host of its own to Sentinel `index`. */
  static async connect(world: SentinelCast<WorldNode>, index: number, name = "raw-client"): Promise<RawClient> {
    const client = new RawClient(world);
    const host = world.kernel.host(name, { runs: "service" });
    world.network.add(host);
    world.network.dial(host, world.addressOf(world.sentinel(index).host), SENTINEL_PORT, {
      onConnect: (connection) => {
        client.#connection = connection;
        return {
          onData: (bytes) => {
            client.#received += fromBytes(bytes);
          },
          onClose: () => {
            client.isClosed = true;
          },
        };
      },
      onFailure: () => {
        client.isClosed = true;
      },
    });
    await world.pass(ROUND_TRIP_MS);
    return client;
  }

  /** Sends bytes as they are. */
  write(text: string): void {
    this.#connection?.write(toBytes(text));
  }

  /** What has come since it was last asked. */
  async read(ms = ROUND_TRIP_MS): Promise<string> {
    await this.#world.pass(ms);
    const text = this.#received;
    this.#received = "";
    return text;
  }

  /** Sends a command. Returns all that comes within a round trip. */
  ask(...argv: readonly string[]): Promise<string> {
    this.write(encodeCommand(argv));
    return this.read();
  }
}
