import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { messageOf, UserError } from "../../core/errors.ts";
import type { Address } from "../../core/lock-driver.ts";
import { dropPort, keepPort } from "./kept-ports.ts";

/** Every listener is on this machine's own network only. */
const LOOPBACK = "127.0.0.1";
/** How many ports are tried, if others listen on them. */
const MOST_PORTS = 20;

/**
 * A port at which one client reaches one server. While the server is dead its listener is closed: connections are refused,
 * as a machine does whose server has died.
 */
export class LoopbackListener implements AsyncDisposable {
  readonly #accept: (socket: Socket) => void;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #opened: Promise<void> = Promise.resolve();
  #port: number;

  private constructor(port: number, accept: (socket: Socket) => void) {
    this.#port = port;
    this.#accept = accept;
  }

  /**
   * @param port 0 takes a free one
   * @param accept receives each connection, paused
   * @throws UserError when it cannot listen
   */
  static async open(port: number, accept: (socket: Socket) => void): Promise<LoopbackListener> {
    if (port !== 0) return LoopbackListener.#at(port, accept);
    for (let tries = 1; ; tries += 1) {
      try {
        return await LoopbackListener.#at(keepPort(), accept);
      } catch (error) {
        if (tries >= MOST_PORTS) throw error;
      }
    }
  }

  static async #at(port: number, accept: (socket: Socket) => void): Promise<LoopbackListener> {
    const listener = new LoopbackListener(port, accept);
    listener.open();
    try {
      await listener.opened;
    } catch (error) {
      dropPort(port);
      throw error;
    }
    return listener;
  }

  get address(): Address {
    return { host: LOOPBACK, port: this.#port };
  }

  /** Settles when the last `open` has taken effect. */
  get opened(): Promise<void> {
    return this.#opened;
  }

  open(): void {
    if (this.#server !== undefined) return;
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      this.#accept(socket);
    });
    this.#server = server;
    this.#opened = new Promise((resolve, reject) => {
      server.on("error", (error) => {
        const problem = `cannot listen on ${LOOPBACK}:${this.#port}: ${messageOf(error)}`;
        reject(new UserError(problem, "choose another port", { cause: error }));
      });
      server.listen(this.#port, LOOPBACK, () => {
        this.#port = (server.address() as AddressInfo).port;
        resolve();
      });
    });
    this.#opened.catch(() => {});
  }

  /** Refuses new connections; those there are go on until the simulation ends them. */
  close(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    dropPort(this.#port);
    for (const socket of this.#sockets) socket.destroy();
    return Promise.resolve();
  }
}
