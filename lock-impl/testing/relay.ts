import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";
import type { Address } from "../../harness/core/lock-driver.ts";

/**
 * A path to a server that a test can break: it forwards bytes, holds them, or ends every connection. Held bytes are
 * forwarded when the path is free again, unless their connection was ended.
 */
export class Relay implements AsyncDisposable {
  readonly #server: Server;
  readonly #upstream: Address;
  readonly #pairs = new Set<Pair>();
  readonly #held: (() => void)[] = [];
  #holding: Direction | "both" | undefined;
  /** Called with what clients send, as it arrives. */
  onSent: (bytes: Buffer) => void = () => {};

  private constructor(upstream: Address) {
    this.#upstream = upstream;
    this.#server = createServer((client) => this.#relay(client));
  }

  static async to(upstream: Address): Promise<Relay> {
    const relay = new Relay(upstream);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  get address(): Address {
    return { host: "127.0.0.1", port: (this.#server.address() as AddressInfo).port };
  }

  /** Holds what is sent, what is received, or both, from now on. */
  hold(what: Direction | "both"): void {
    this.#holding = what;
  }

  /** Passes on what was held, and everything after it. */
  free(): void {
    this.#holding = undefined;
    for (const pass of this.#held.splice(0)) pass();
  }

  /** Ends every connection, with what is held of it. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    this.#held.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, "close");
  }

  #relay(client: Socket): void {
    const server = createConnection(this.#upstream);
    const pair: Pair = [client, server];
    this.#pairs.add(pair);
    this.#pipe(client, server, "sent");
    this.#pipe(server, client, "received");
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        for (const other of pair) other.destroySoon();
        this.#pairs.delete(pair);
      });
    }
  }

  #pipe(from: Socket, to: Socket, direction: Direction): void {
    from.on("data", (bytes: Buffer) => {
      if (direction === "sent") this.onSent(bytes);
      const pass = (): void => void to.write(bytes);
      if (this.#holding === direction || this.#holding === "both") this.#held.push(pass);
      else pass();
    });
  }
}

type Direction = "sent" | "received";
type Pair = readonly [client: Socket, server: Socket];
