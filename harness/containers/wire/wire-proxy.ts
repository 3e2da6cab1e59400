import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { type KeyPositions, keysOf } from "../../core/messages/command-keys.ts";
import { type MessageAt, MessageCounter } from "../../core/messages/wire-message.ts";
import type { Address } from "../../core/lock-driver.ts";
import type { ObservedWire } from "../../core/messages/observed-wire.ts";
import type { MessageSource } from "../../core/system.ts";
import { type MessageTrigger, PROXY_MOMENTS } from "../../core/trigger.ts";
import { clientName } from "../../core/topology.ts";
import type { Link } from "../links/links.ts";
import { Exchanges } from "./exchanges.ts";
import { Gate } from "./gate.ts";
import type { ProxyRecording, Reply } from "./proxy-recording.ts";
import { ReplyReader } from "./reply-reader.ts";
import { RequestReader } from "./request-reader.ts";
import { reset } from "./reset.ts";

/** Where a server's commands name their keys, by the commands' names in small letters. */
export type CommandTable = ReadonlyMap<string, KeyPositions>;

/** What the proxy needs to know of the link behind it. */
export type PassedLink = Pick<Link, "address" | "resets" | "passage">;

/** A command on one connection. */
interface Command extends Omit<MessageAt, "moment"> {
  /** Present if it is recorded. */
  readonly replied?: Reply | undefined;
}

/** A command with its bytes. */
interface Passing {
  readonly argv: readonly string[];
  readonly bytes: Buffer;
  readonly command: Command;
}

/**
 * Stands between clients and their links, and reads the commands that pass, for triggers that wait for one and for a
 * recording. A command
 * waits here before it enters its link, so that a fault of the link that is in force by then concerns it, and a close of
 * the connection loses it. A reply that waits has left its link: it waits on as long as the link's disturbance would hold
 * it, and a reset of the link loses it, but not the death of its server.
 */
export class WireProxy implements MessageSource, AsyncDisposable {
  readonly moments = PROXY_MOMENTS;
  readonly #stack = new AsyncDisposableStack();
  readonly #recording: ProxyRecording | undefined;
  #watch:
    | {
        readonly counter: MessageCounter;
        readonly triggers: readonly MessageTrigger[];
        readonly reached: (index: number) => Promise<void>;
      }
    | undefined;

  /** @param recording is told of what passes */
  constructor(recording?: ProxyRecording) {
    this.#recording = recording;
  }

  /** What was seen so far, if it is recorded. */
  get observed(): ObservedWire | undefined {
    return this.#recording?.observed;
  }

  /** The run begins: what passes from now on is recorded, if anything is. */
  begin(): void {
    this.#recording?.begin();
  }

  /**
   * Listens on a free port of loopback for the connections of one client to one server, and returns its address.
   * @param link where they go on to
   */
  async open(
    client: number,
    server: { readonly name: string; readonly commands: CommandTable },
    link: PassedLink,
  ): Promise<Address> {
    const sockets = new Set<Socket>();
    let connections = 0;
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
      const far = connect({ ...link.address, allowHalfOpen: true, noDelay: true });
      for (const socket of [near, far]) sockets.add(socket.once("close", () => sockets.delete(socket)));
      connections += 1;
      const connection = `${clientName(client)}>${server.name}#${connections}`;
      this.#relay(near, { far, link }, (argv) => {
        const command = commandOf(argv, client, server);
        if (this.#recording === undefined || argv.length === 0) return command;
        return { ...command, replied: this.#recording.arrived(command, connection) };
      });
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    this.#stack.defer(async () => {
      listener.close();
      for (const socket of sockets) socket.destroy();
      await once(listener, "close");
    });
    return { host: "127.0.0.1", port: (listener.address() as AddressInfo).port };
  }

  watch(triggers: readonly MessageTrigger[], reached: (index: number) => Promise<void>): Promise<void> {
    this.#watch = { counter: new MessageCounter(triggers), triggers, reached };
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  #relay(
    near: Socket,
    { far, link }: { readonly far: Socket; readonly link: PassedLink },
    commandOf: (argv: readonly string[]) => Command,
  ): void {
    const [requests, replies] = [new RequestReader(), new ReplyReader()];
    const exchanges = new Exchanges<Command>();
    const there = new Gate<Passing>(({ argv, bytes, command }, isShut) => {
      const go = (): void => {
        if (isShut()) return;
        exchanges.sent(argv, command);
        far.write(bytes);
      };
      return then(argv.length === 0 ? undefined : this.#at("before", command), go);
    });
    const back = new Gate<ReturnType<ReplyReader["push"]>[number]>((frame, isShut) => {
      const command = exchanges.answered(frame);
      const { resets } = link;
      const go = (): void => {
        if (link.resets !== resets) lose();
        if (isShut()) return;
        if (!near.destroyed) command?.replied?.(frame.bytes);
        near.write(frame.bytes);
      };
      const waiting = command === undefined ? undefined : this.#at("reply", command);
      return then(
        waiting?.then(() => link.passage("downstream")),
        go,
      );
    });
    const lose = (): void => {
      back.shut();
      reset(near);
    };
    near.on("data", (bytes) =>
      there.push(requests.push(bytes).map((frame) => ({ ...frame, command: commandOf(frame.argv) }))),
    );
    far.on("data", (bytes) => back.push(replies.push(bytes)));
    // What a client has sent arrives, also when the client goes away.
    const leave = (): void => there.whenEmpty(() => far.end());
    near
      .on("end", leave)
      .on("close", leave)
      .on("error", () => {});
    const left = (failed: boolean): void => {
      const loses = failed || there.holds;
      there.shut();
      // The client notices when the actions that a command or reply waited for are done, and what came out of the link first.
      there.whenEmpty(() => back.whenEmpty(() => (loses ? lose() : near.end())));
    };
    far
      .on("error", () => {})
      .on("end", () => left(false))
      .on("close", left);
  }

  /** A command is at a moment; a promise if it waits. */
  #at(moment: "before" | "reply", command: Command): Promise<void> | undefined {
    if (this.#watch === undefined) return undefined;
    const { counter, triggers, reached } = this.#watch;
    const due = counter.count({ moment, ...command });
    if (due.length === 0) return undefined;
    const done = Promise.all(due.map((index) => reached(index))).then(
      // What the actions did to the connection is noticed first.
      () => new Promise<void>((resolve) => setImmediate(resolve)),
    );
    const waits = due.some((index) => (triggers[index]?.afterMs ?? 0) === 0);
    return waits ? done : undefined;
  }
}

function then(waiting: Promise<void> | undefined, go: () => void): Promise<void> | undefined {
  if (waiting !== undefined) return waiting.then(go);
  go();
  return undefined;
}

function commandOf(
  argv: readonly string[],
  client: number,
  { name: server, commands }: { readonly name: string; readonly commands: CommandTable },
): Command {
  const [name = "", sub = ""] = argv;
  const positions = commands.get(`${name}|${sub}`.toLowerCase()) ?? commands.get(name.toLowerCase());
  return { client, server, command: name.toUpperCase(), keys: keysOf(argv, positions ?? [0, 0, 0]) };
}

/** The table in a server's reply to COMMAND. */
export function commandTable(reply: unknown): CommandTable {
  const table = new Map<string, KeyPositions>();
  const add = (entry: unknown): void => {
    if (!Array.isArray(entry)) return;
    const [name, , , first, last, step] = entry as readonly unknown[];
    if (typeof name === "string") table.set(name.toLowerCase(), [Number(first), Number(last), Number(step)]);
    const subcommands: unknown = entry[9];
    if (Array.isArray(subcommands)) subcommands.forEach(add);
  };
  if (Array.isArray(reply)) reply.forEach(add);
  return table;
}
