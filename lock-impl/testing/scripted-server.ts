import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import type { Address } from "../../harness/core/lock-driver.ts";

/**
 * What the server does with a command: answer in RESP (`{reply: "+OK\r
 *
 * "}`), at once or later, break the connection, or fall silent. A silent connection stays silent, since Redis answers
 * in order.
 */
export type Behaviour = { readonly reply: string; readonly afterMs?: number } | "silence" | "break";

/**
 * A server that speaks just enough RESP2 to be taken for Redis, and otherwise does what a test says: for cases in which
 * a real server would have to be broken at exactly the right microsecond.
 */
export class ScriptedServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #silent = new WeakSet<Socket>();
  /** Every command that arrived, without the handshake. */
  readonly received: string[][] = [];
  /** The text of INFO. */
  info = "role:master";
  behave: (command: readonly string[]) => Behaviour;

  private constructor(behave: (command: readonly string[]) => Behaviour) {
    this.behave = behave;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async listen(behave: (command: readonly string[]) => Behaviour): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(behave);
    const { promise, resolve } = Promise.withResolvers<void>();
    scripted.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return scripted;
  }

  get address(): Address {
    return { host: "127.0.0.1", port: (this.#server.address() as AddressInfo).port };
  }

  /** Writes what no command asked for, in RESP, to every connection. */
  push(text: string): void {
    for (const socket of this.#sockets) socket.write(text);
  }

  /** Breaks every connection that is open. */
  breakConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.breakConnections();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  #serve(socket: Socket): void {
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    let pending = "";
    socket.on("data", (chunk: Buffer) => {
      pending += chunk.toString();
      for (let parsed = parse(pending); parsed !== undefined; parsed = parse(pending)) {
        pending = parsed.rest;
        this.#answer(socket, parsed.command);
      }
    });
  }

  #answer(socket: Socket, command: string[]): void {
    if (this.#silent.has(socket)) return;
    if (command[0]?.toUpperCase() === "INFO") {
      socket.write(`$${this.info.length}\r\n${this.info}\r\n`);
      return;
    }
    this.received.push(command);
    const behaviour = this.behave(command);
    if (behaviour === "break") socket.destroy();
    else if (behaviour === "silence") this.#silent.add(socket);
    else setTimeout(() => socket.write(behaviour.reply), behaviour.afterMs ?? 0);
  }
}

/** The first complete command of a RESP stream; undefined when none is complete yet. */
function parse(text: string): { command: string[]; rest: string } | undefined {
  const count = /^\*(\d+)\r\n/.exec(text);
  if (count === null) return undefined;
  const command: string[] = [];
  let at = count[0].length;
  for (let index = 0; index < Number(count[1]); index += 1) {
    const length = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (length === null) return undefined;
    const start = at + length[0].length;
    const end = start + Number(length[1]);
    if (text.length < end + 2) return undefined;
    command.push(text.slice(start, end));
    at = end + 2;
  }
  return { command, rest: text.slice(at) };
}
