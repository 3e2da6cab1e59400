import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { HarnessError, messageOf } from "../../core/errors.ts";
import type { Address } from "../../core/lock-driver.ts";
import { COMMAND_TIMEOUT_MS } from "./server-kind.ts";

/**
 * What a client sends first, to open a session of a second (ConnectRequest in ZooKeeper's sources): the length; protocol
 * version 0; no transaction seen; the time-out in milliseconds; no session, and its password of 16 zeros; not read-only.
 */
const OPEN_SESSION = Buffer.alloc(49);
OPEN_SESSION.writeInt32BE(45, 0);
OPEN_SESSION.writeInt32BE(1_000, 16);
OPEN_SESSION.writeInt32BE(16, 28);

/**
 * The harness's questions to a ZooKeeper server: four-letter words, each on a separate connection, which the server
 * closes with its answer (ZooKeeper Administrator's Guide, "The Four Letter Words").
 */
export class ZooKeeperQuestions {
  readonly #name: string;
  readonly #address: Address;

  /** @param name of the server, for errors */
  constructor(name: string, address: Address) {
    this.#name = name;
    this.#address = address;
  }

  /** @throws HarnessError when it does not answer within `deadlineMs` */
  ask(word: string, deadlineMs = COMMAND_TIMEOUT_MS): Promise<string> {
    return this.#on(word, deadlineMs, async (socket) => {
      // Does not end its side: a server that reads the end first closes without an answer.
      socket.write(word);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      const answer = Buffer.concat(chunks).toString();
      if (answer === "") throw new Error("it has closed the connection");
      return answer;
    });
  }

  /**
   * The server's wall clock, in milliseconds since the epoch. No four-letter word returns it, but the server lists for
   * each session when its connection was made (`est`): so this opens one and looks it up.
   */
  nowMs(): Promise<number> {
    return this.#on("the time", COMMAND_TIMEOUT_MS, async (socket, signal) => {
      const openedMs = performance.now();
      socket.write(OPEN_SESSION);
      await once(socket, "data", { signal });
      const own = new RegExp(`:${socket.localPort}\\[.*[(,]est=(\\d+)[,)]`).exec(await this.ask("cons"));
      if (own === null) throw new Error("it does not know the connection");
      return Number(own[1]) + performance.now() - openedMs;
    });
  }

  async #on<T>(
    question: string,
    deadlineMs: number,
    use: (socket: Socket, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const signal = AbortSignal.timeout(deadlineMs);
    const socket = connect({ ...this.#address, noDelay: true });
    // The pending `once` reports the error to the caller.
    socket.on("error", () => {});
    signal.addEventListener("abort", () => socket.destroy());
    try {
      await once(socket, "connect", { signal });
      return await use(socket, signal);
    } catch (error) {
      throw new HarnessError(`${this.#name} did not answer ${question}: ${messageOf(error)}`, { cause: error });
    } finally {
      socket.destroy();
    }
  }
}
