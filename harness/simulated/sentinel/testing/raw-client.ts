import type { ServiceConnection } from "../../network/service.ts";
import { encodeCommand, fromBytes, toBytes } from "../../redis/protocol/resp-encoder.ts";
import { SENTINEL_PORT } from "../sentinel-options.ts";
import type { SentinelGroup, WorldNode } from "./sentinel-group.ts";

/** Long enough for a round trip in a simulated network. */
const ROUND_TRIP_MS = 2;

/** A client of a simulated Sentinel that shows the bytes of its answers. */
export class RawClient {
  readonly #world: SentinelGroup<WorldNode>;
  #connection: ServiceConnection | undefined;
  #received = "";
  isClosed = false;

  private constructor(world: SentinelGroup<WorldNode>) {
    this.#world = world;
  }

  /** Connects from a host of its own to Sentinel `index`. */
  static async connect(world: SentinelGroup<WorldNode>, index: number, name = "raw-client"): Promise<RawClient> {
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
    await world.advance(ROUND_TRIP_MS);
    return client;
  }

  /** Sends bytes as they are. */
  write(text: string): void {
    this.#connection?.write(toBytes(text));
  }

  /** The output since the last call. */
  async read(ms = ROUND_TRIP_MS): Promise<string> {
    await this.#world.advance(ms);
    const text = this.#received;
    this.#received = "";
    return text;
  }

  /** Sends a command. Returns everything that comes within a round trip. */
  ask(...argv: readonly string[]): Promise<string> {
    this.write(encodeCommand(argv));
    return this.read();
  }
}
