import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import type { Address } from "../../../core/lock-driver.ts";
import type { Transcripts } from "./transcripts.ts";

/** Forwards connections to a server, and records both directions. */
export class RecordingProxy implements AsyncDisposable {
  readonly address: Address;
  readonly #stop: () => Promise<void>;

  private constructor(address: Address, stop: () => Promise<void>) {
    this.address = address;
    this.#stop = stop;
  }

  /** @param server how transcripts name it, `node-0` */
  static async start(server: string, upstream: Address, transcripts: Transcripts): Promise<RecordingProxy> {
    const sockets = new Set<Socket>();
    let connections = 0;
    const listener = createServer((client) => {
      connections += 1;
      const connection = `${server}#${connections}`;
      const onward = createConnection(upstream.port, upstream.host);
      for (const [from, to, direction] of [
        [client, onward, "sent"],
        [onward, client, "received"],
      ] as const) {
        sockets.add(from);
        from.setNoDelay(true);
        from.on("error", () => to.destroy());
        from.on("data", (bytes: Buffer) => {
          transcripts.add(connection, direction, bytes.toString("latin1"));
          to.write(bytes);
        });
        from.on("close", () => to.destroySoon());
      }
    }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    return new RecordingProxy({ host: "127.0.0.1", port }, async () => {
      listener.close();
      for (const socket of sockets) socket.destroy();
      await once(listener, "close");
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}
