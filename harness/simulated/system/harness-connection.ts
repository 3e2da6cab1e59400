import type { Host } from "../kernel/host.ts";
import type { RedisNode } from "../nodes/redis-node.ts";
import { encodeCommand, toBytes } from "../redis/protocol/resp-encoder.ts";
import type { RedisServer } from "../redis/server.ts";
import type { Session } from "../redis/session.ts";
import { CommandReply } from "./command-reply.ts";

interface Pending {
  readonly name: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The harness's own connection to a node, made again in each life of the node. It does not use the network: a cut link
 * does not affect it. Replies come in the order of the commands, at once or, when the node waits for something, later.
 */
export class HarnessConnection {
  readonly #node: RedisNode;
  readonly #runner: Host;
  #server: RedisServer | undefined;
  #session: Session | undefined;
  #reply = new CommandReply();
  #pending: Pending[] = [];

  /** @param runner the host of the caller */
  constructor(node: RedisNode, runner: Host) {
    this.#node = node;
    this.#runner = runner;
    node.host.kernel.onHostState((host) => {
      if (host === node.host && host.state === "dead") this.#close();
    });
  }

  /** @throws CommandError by rejection, when the server answers with an error */
  ask(argv: readonly string[]): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.push({ name: argv[0] ?? "", resolve, reject });
    const session = this.#open();
    this.#node.turn(() => session.receive(toBytes(encodeCommand(argv))));
    this.#settle();
    return promise;
  }

  #open(): Session {
    const { server } = this.#node;
    if (this.#session !== undefined && this.#server === server) return this.#session;
    this.#server = server;
    this.#reply = new CommandReply();
    this.#session = server.connect({
      onOutput: (bytes) => {
        this.#reply.push(bytes);
        // An event of the node must be reported in an event of the harness's host.
        this.#runner.post(`${this.#node.name} answers`, () => this.#settle());
      },
      onClose: () => this.#close(),
    });
    return this.#session;
  }

  #settle(): void {
    while (this.#pending.length > 0) {
      try {
        const taken = this.#reply.take();
        if (taken === undefined) return;
        this.#pending.shift()?.resolve(taken.value);
      } catch (error) {
        this.#pending.shift()?.reject(error);
      }
    }
  }

  #close(): void {
    const pending = this.#pending;
    this.#pending = [];
    this.#session = undefined;
    if (pending.length === 0) return;
    this.#runner.post(`${this.#node.name} answers no more`, () => {
      for (const { name, reject } of pending) reject(new Error(`${this.#node.name} closed before it answered ${name}`));
    });
  }
}
