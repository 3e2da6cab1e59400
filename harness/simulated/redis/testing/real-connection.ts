import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { encodeCommand } from "../protocol/resp-encoder.ts";
import { ReplyReader } from "./reply-frames.ts";

/** A connection to a real server that returns replies as they were sent. */
export class RealConnection implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
  readonly #raw: string[] = [];
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.setNoDelay(true);
    socket.on("data", (text: string) => {
      this.#reader.push(text);
      this.#raw.push(text);
      this.#wake?.();
    });
    socket.on("close", () => {
      this.#failure = new Error("the real server closed the connection");
      this.#wake?.();
    });
    socket.on("error", (error) => {
      this.#failure = error;
    });
  }

  static async open(host: string, port: number): Promise<RealConnection> {
    const socket = createConnection({ host, port });
    await once(socket, "connect");
    return new RealConnection(socket);
  }

  /** Sends bytes as they are. */
  write(text: string): void {
    this.#socket.write(text, "latin1");
  }

  /** The next whole reply. */
  async read(): Promise<string> {
    for (;;) {
      const reply = this.#reader.next();
      if (reply !== undefined) return reply;
      await this.#more();
    }
  }

  /** Everything that has come since the last call, waiting until it contains `mark`. Do not mix it with `read`. */
  async readUntil(mark: string): Promise<string> {
    for (;;) {
      const text = this.#raw.join("");
      const end = text.indexOf(mark);
      if (end >= 0) {
        this.#raw.splice(0, this.#raw.length, text.slice(end + mark.length));
        return text.slice(0, end);
      }
      await this.#more();
    }
  }

  /** Everything until the server closes the connection. */
  async readToEnd(): Promise<string> {
    while (this.#failure === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return this.#raw.splice(0).join("");
  }

  /** The next complete reply, for a reader that otherwise uses `readUntil`. */
  async readReply(): Promise<string> {
    const reader = new ReplyReader();
    for (let used = 0; ; used += 1) {
      while (used >= this.#raw.length) await this.#more();
      reader.push(this.#raw[used] ?? "");
      const reply = reader.next();
      if (reply === undefined) continue;
      this.#raw.splice(0, used + 1);
      return reply;
    }
  }

  async #more(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
  }

  /** Sends commands in one go and gives one reply for each. */
  async ask(commands: readonly (readonly string[])[]): Promise<string[]> {
    this.write(commands.map(encodeCommand).join(""));
    const replies: string[] = [];
    for (let index = 0; index < commands.length; index += 1) replies.push(await this.read());
    this.#raw.length = 0;
    return replies;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.destroyed) return;
    this.#socket.destroy();
    await once(this.#socket, "close");
  }
}
