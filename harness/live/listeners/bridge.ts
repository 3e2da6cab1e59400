import type { Socket } from "node:net";
import type { Host } from "../../simulated/kernel/host.ts";
import type { Network } from "../../simulated/network/network.ts";
import { WINDOW_BYTES } from "../../simulated/network/pipe.ts";
import type { ConnectionHandler, ServiceConnection } from "../../simulated/network/service.ts";
import { outside, type RealTime } from "../real-time.ts";
import { reset } from "../../containers/wire/reset.ts";
import type { ReplyFilter } from "./sentinel-replies.ts";

/** A peer that leaves this many bytes unread is cut off, as Redis does with slow subscribers. */
const MOST_UNREAD_BYTES = 1 << 26;

/** How a connection from outside goes on in the simulation. */
export interface BridgeOptions {
  readonly time: RealTime;
  readonly network: Network;
  /** The host as which the outside speaks. */
  readonly from: Host;
  /** The server's address and port in the simulation. */
  readonly address: string;
  readonly port: number;
  /** Changes what the server sends, if anything does. */
  readonly replies?: ReplyFilter | undefined;
}

/**
 * Joins a real connection to a simulated one. Bytes enter the simulation when they are read here; a cut or stalled link
 * holds them there, and beyond a window the real socket is read no more.
 */
export class Bridge {
  readonly #socket: Socket;
  readonly #options: BridgeOptions;
  #connection: ServiceConnection | undefined;
  #broken = false;
  #full = false;

  /** @param socket just accepted, and paused */
  constructor(socket: Socket, options: BridgeOptions) {
    const { time, network, from, address, port } = options;
    this.#socket = socket;
    this.#options = options;
    socket.setNoDelay(true);
    const cancel = time.enter(() =>
      network.dial(from, address, port, {
        onConnect: (connection) => this.#open(connection),
        onFailure: outside(() => reset(socket)),
      }),
    );
    socket.on("data", (bytes) => time.enter(() => this.#send(bytes)));
    socket.on("end", () => time.enter(() => this.#connection?.end()));
    socket.on("error", () => (this.#broken = true));
    socket.on("close", () => time.enter(() => this.#close(cancel)));
  }

  #open(connection: ServiceConnection): ConnectionHandler {
    const socket = this.#socket;
    this.#connection = connection;
    outside(() => socket.resume())();
    return {
      onData: outside((bytes) => this.#receive(bytes)),
      onEnd: outside(() => socket.end()),
      onClose: outside((how) => {
        if (how !== "closed") reset(socket);
      }),
    };
  }

  #receive(bytes: Buffer): void {
    const { replies } = this.#options;
    this.#socket.write(replies === undefined ? bytes : replies.pass(bytes));
    if (this.#socket.writableLength > MOST_UNREAD_BYTES) reset(this.#socket);
  }

  #send(bytes: Buffer): void {
    this.#connection?.write(bytes);
    if (!this.#full && (this.#connection?.unreadBytes ?? 0) > WINDOW_BYTES) {
      this.#full = true;
      outside(() => this.#socket.pause())();
      this.#awaitRoom();
    }
  }

  /** Looks again whenever the simulation has moved on by a little. */
  #awaitRoom(): void {
    const { from } = this.#options;
    from.io(ROOM_AGAIN_US, "room for more from outside", () => {
      if (this.#connection === undefined || this.#connection.closed) return;
      if (this.#connection.unreadBytes > WINDOW_BYTES) {
        this.#awaitRoom();
        return;
      }
      this.#full = false;
      outside(() => this.#socket.resume())();
    });
  }

  #close(cancel: () => void): void {
    cancel();
    if (this.#broken) this.#connection?.reset();
    else this.#connection?.close();
  }
}

const ROOM_AGAIN_US = 5000;
