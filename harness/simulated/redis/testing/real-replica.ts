import { createConnection, type Socket } from "node:net";
import { once } from "node:events";
import { encodeCommand } from "../protocol/resp-encoder.ts";

const PINGS = /\*1\r\n\$4\r\nping\r\n/gi;

/** Follows a real master as a replica would, and returns the stream of effects. */
export class RealReplica implements AsyncDisposable {
  readonly #socket: Socket;
  #stream = "";
  #wake: (() => void) | undefined;
  #failure: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#stream += text;
      this.#wake?.();
    });
    socket.on("error", (error) => {
      this.#failure = error;
    });
    socket.on("close", () => {
      this.#failure ??= new Error("the real master has dropped its replica");
      this.#wake?.();
    });
  }

  /** Asks for a full resynchronization and skips the data: the stream begins after it. */
  static async follow(host: string, port: number): Promise<RealReplica> {
    const socket = createConnection({ host, port });
    await once(socket, "connect");
    const replica = new RealReplica(socket);
    socket.write(encodeCommand(["REPLCONF", "capa", "eof", "capa", "psync2"]));
    await replica.#take("+OK\r\n");
    socket.write(encodeCommand(["PSYNC", "?", "-1"]));
    await replica.#take("+FULLRESYNC");
    await replica.#take("\r\n");
    const header = await replica.#take("$EOF:");
    if (header.trim() !== "") throw new Error(`unexpected answer to PSYNC: ${header}`);
    const mark = await replica.#take("\r\n");
    await replica.#take(mark);
    return replica;
  }

  /**
   * Makes the master send the stream. Call it when the master shows the replica as online and its child process has
   * ended.
   */
  acknowledge(): void {
    this.#socket.write(encodeCommand(["REPLCONF", "ACK", "0"]));
  }

  /** The commands that came before the one that contains `mark`, which is dropped; pings of the master too. */
  async effectsUntil(mark: string): Promise<string> {
    const before = await this.#take(mark);
    await this.#take("\r\n");
    const start = before.lastIndexOf("*3\r\n");
    return before.slice(0, start).replace(PINGS, "");
  }

  async #take(mark: string): Promise<string> {
    for (;;) {
      const end = this.#stream.indexOf(mark);
      if (end >= 0) {
        const taken = this.#stream.slice(0, end);
        this.#stream = this.#stream.slice(end + mark.length);
        return taken;
      }
      if (this.#failure !== undefined) throw this.#failure;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.destroyed) return;
    this.#socket.destroy();
    await once(this.#socket, "close");
  }
}
