import type { Host } from "../kernel/host.ts";
import type { Network } from "../network/network.ts";
import type { ConnectionHandler, ServiceConnection } from "../network/service.ts";
import { PubSub } from "../redis/pubsub.ts";
import type { Reply } from "../redis/protocol/reply.ts";
import { fromBytes, toBytes } from "../redis/protocol/resp-encoder.ts";
import { ClientSession, type ClientSessionOptions } from "./client-session.ts";
import { runCommand } from "./commands/command-table.ts";
import type { SentinelEnvironment, Wire, WireHandler } from "./environment.ts";
import type { NodeAddress } from "./node-address.ts";
import type { OutgoingConnection } from "./outgoing-connection.ts";
import { Sentinel } from "./sentinel.ts";
import type { SentinelOptions } from "./sentinel-options.ts";

/** Thrown to end a process in the middle of its work. */
class ProcessEnd extends Error {}

const FIRST_TICK_US = 1000;

/** One life of a Sentinel: its state, its timer, its connections. It ends with its host's process. */
export class SentinelProcess {
  readonly sentinel: Sentinel;
  readonly #host: Host;
  readonly #network: Network;
  readonly #pubsub = new PubSub();
  readonly #unflushed = new Set<OutgoingConnection>();
  readonly #sessions = new Set<ClientSession>();
  #nextClientId = 1;

  constructor(
    world: { readonly host: Host; readonly network: Network },
    options: SentinelOptions,
    outside: {
      readonly onEvent: (channel: string, message: string) => void;
      readonly save: (configuration: SentinelOptions) => void;
    },
  ) {
    this.#host = world.host;
    this.#network = world.network;
    const random = world.host.random("sentinel");
    const environment: SentinelEnvironment = {
      host: world.network.addressOf(world.host),
      nowMs: () => world.host.clock.wallMs(),
      randomBelow: (count) => random.integer(0, count - 1),
      dial: (address, handler) => this.#dial(address, handler),
      wrote: (connection) => void this.#unflushed.add(connection),
      announce: (channel, message) => {
        outside.onEvent(channel, message);
        this.#pubsub.publish(channel, message);
      },
      save: outside.save,
      crash: () => {
        this.#host.kill();
        throw new ProcessEnd();
      },
    };
    this.sentinel = new Sentinel(options, environment);
    this.#network.listen(this.#host, this.sentinel.port, { onConnect: (connection) => this.#accept(connection) });
    this.#schedule(FIRST_TICK_US);
  }

  /** Runs a command that did not come over the network. */
  command(argv: readonly string[]): Reply {
    const session = this.#session("outside", "outside", { write: () => {}, close: () => {} });
    const reply = runCommand(argv, { sentinel: this.sentinel, session, sessions: this.#sessions });
    session.leave();
    this.#flush();
    return reply;
  }

  #schedule(us: number): void {
    this.#host.timer(us, "sentinel timer", () => {
      this.#event(() => this.#schedule(this.sentinel.tick() * 1000));
    });
  }

  #event(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (error instanceof ProcessEnd) return;
      throw error;
    }
    this.#flush();
  }

  /** Clients are answered before anything is sent to instances. */
  #flush(): void {
    for (const session of this.#sessions) session.flush();
    for (const connection of this.#unflushed) connection.flush();
    this.#unflushed.clear();
  }

  #accept(connection: ServiceConnection): ConnectionHandler {
    const session = this.#session(
      `${connection.remoteAddress}:${connection.remotePort}`,
      `${connection.localAddress}:${connection.localPort}`,
      { write: (text) => connection.write(toBytes(text)), close: () => connection.close(), observer: connection.tap },
    );
    this.#sessions.add(session);
    return {
      onData: (bytes) => this.#event(() => session.receive(fromBytes(bytes))),
      onClose: () => {
        this.#sessions.delete(session);
        session.leave();
      },
    };
  }

  #session(
    peer: string,
    local: string,
    connection: Pick<ClientSessionOptions, "write" | "close" | "observer">,
  ): ClientSession {
    const id = this.#nextClientId;
    this.#nextClientId += 1;
    return new ClientSession(id, {
      pubsub: this.#pubsub,
      peer,
      local,
      connectedAtMs: this.sentinel.nowMs,
      ...connection,
      run: (argv, session) => runCommand(argv, { sentinel: this.sentinel, session, sessions: this.#sessions }),
    });
  }

  #dial(address: NodeAddress, handler: WireHandler): Wire {
    let connection: ServiceConnection | undefined;
    let isOver = false;
    const gone = (): void => {
      if (isOver) return;
      isOver = true;
      this.#event(() => handler.onGone());
    };
    const giveUp = this.#network.dial(this.#host, address.host, address.port, {
      onConnect: (opened) => {
        connection = opened;
        this.#event(() => handler.onOpen());
        return {
          onData: (bytes) => {
            if (!isOver) this.#event(() => handler.onText(fromBytes(bytes)));
          },
          onClose: gone,
        };
      },
      onFailure: gone,
    });
    return {
      write: (text) => connection?.write(toBytes(text)),
      close: () => {
        isOver = true;
        if (connection === undefined) giveUp();
        else connection.close();
      },
    };
  }
}
