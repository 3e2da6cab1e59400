import type { Host } from "../kernel/host.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionTap, TappedMessage } from "./connection-tap.ts";
import type { Pipe, PipeEnd, Segment } from "./pipe.ts";

/** The holder of one end of a connection. All methods are called in the end's host. */
export interface EndpointOwner {
  /** The server's end only: the connection was accepted. */
  onOpen?(): void;
  onBytes(bytes: Buffer): void;
  /** The peer will send no more. */
  onEnd(): void;
  /** The connection was reset. It is already closed. */
  onReset(): void;
}

/** As much as libuv reads at once. */
const READ_BYTES = 65_536;

/** One end of a connection, as an operating system keeps it for its process. */
export class Endpoint implements PipeEnd {
  readonly host: Host;
  readonly address: string;
  readonly port: number;
  readonly #connection: Connection;
  #owner: EndpointOwner | null = null;
  #received: Segment[] = [];
  #reading = true;
  #readScheduled = false;
  #finSent = false;
  /** The network has reset the connection, which its process may not have seen yet. */
  #wasReset = false;
  #broken = false;
  #closed = false;

  constructor(connection: Connection, host: Host, address: string, port: number) {
    this.#connection = connection;
    this.host = host;
    this.address = address;
    this.port = port;
  }

  /** What follows this connection's requests, if anything does. */
  get tap(): ConnectionTap | undefined {
    return this.#connection.tap;
  }

  get peer(): Endpoint {
    return this.#connection.peerOf(this);
  }

  /** The direction in which this end sends. */
  get out(): Pipe {
    return this.#connection.pipeFrom(this);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True when writing is an error (EPIPE): the peer has reset, or the end of this direction was sent. */
  get broken(): boolean {
    return this.#broken || this.#finSent;
  }

  adopt(owner: EndpointOwner): void {
    this.#owner = owner;
  }

  /** Sends bytes; they must not be changed afterwards. No effect once the end is closed or broken. */
  write(bytes: Uint8Array): void {
    if (this.#closed || this.broken || bytes.length === 0) return;
    const { network } = this.#connection;
    network.noticeSending(this, this.#connection, bytes);
    if (this.host.executes) this.#send(bytes);
    else this.host.sendWhenRunning(() => this.#send(bytes));
  }

  #send(bytes: Uint8Array): void {
    const { tap } = this.#connection;
    if (tap === undefined) this.out.sendBytes(bytes);
    else if (this === this.#connection.client) tap.request(bytes, (requests) => this.#sendTapped(bytes, requests));
    else if (!this.#wasReset) this.#sendTapped(bytes, tap.reply(bytes));
  }

  /** The connection may have been reset while the bytes waited: then they never leave. */
  #sendTapped(bytes: Uint8Array, messages: readonly TappedMessage[]): boolean {
    if (!this.#wasReset) this.out.sendBytes(bytes, messages);
    return !this.#wasReset;
  }

  /** Ends sending; receiving continues. */
  shutdown(): void {
    if (this.#closed || this.broken) return;
    this.#finSent = true;
    this.host.sendWhenRunning(() => this.out.sendControl("fin"));
  }

  /** Ends both sending and receiving. As on Linux, unread bytes turn the end into a reset. */
  close(): void {
    if (this.#closed) return;
    const unread = this.#received.some((segment) => segment.kind === "bytes");
    this.#close(unread ? "reset" : "fin");
  }

  /** Closes with a reset. */
  reset(): void {
    if (!this.#closed) this.#close("reset");
  }

  /** The machine has lost power: its peer receives nothing more from this end. */
  vanish(): void {
    this.#closed = true;
    this.#received = [];
    this.#connection.endClosed(this);
  }

  readStop(): void {
    this.#reading = false;
  }

  readStart(): void {
    this.#reading = true;
    if (this.#received.length > 0) this.#scheduleRead();
  }

  /** Both directions break at once; the process sees a reset by the peer. */
  breakNow(): void {
    if (this.#closed) return;
    this.#wasReset = true;
    this.#received = [];
    this.out.clear();
    this.host.io(
      0,
      `reset at ${this.host.name}`,
      () => this.readable(),
      () => this.arrived(RESET),
    );
  }

  arrived(segment: Segment): boolean {
    if (this.#closed) {
      if (segment.kind === "bytes" || segment.kind === "open") this.out.sendControl("reset");
      return false;
    }
    if (segment.kind === "reset") this.#broken = true;
    this.#received.push(segment);
    return true;
  }

  readable(): void {
    if (!this.#reading || this.#closed || this.#owner === null) return;
    const segment = this.#received.shift();
    if (segment === undefined) return;
    this.#read(segment, this.#owner);
    if (this.#received.length > 0 && this.#reading && !this.#closed) this.#scheduleRead();
  }

  #read(segment: Segment, owner: EndpointOwner): void {
    if (segment.kind === "open") owner.onOpen?.();
    else if (segment.kind === "fin") owner.onEnd();
    else if (segment.kind === "reset") {
      this.#closed = true;
      this.#connection.endClosed(this);
      owner.onReset();
    } else this.#readBytes(segment, owner);
  }

  #readBytes(segment: Segment, owner: EndpointOwner): void {
    const { chunks } = segment;
    while (this.#received[0]?.kind === "bytes") chunks.push(...(this.#received.shift()?.chunks ?? []));
    const all = joined(chunks);
    const bytes = all.length > READ_BYTES ? all.subarray(0, READ_BYTES) : all;
    if (all.length > bytes.length) {
      const rest = all.subarray(bytes.length);
      this.#received.unshift({ kind: "bytes", chunks: [rest], length: rest.length });
    }
    this.host.kernel.traceBytes(this.host, bytes);
    this.peer.out.wasRead(bytes.length);
    owner.onBytes(bytes);
  }

  #scheduleRead(): void {
    if (this.#readScheduled) return;
    this.#readScheduled = true;
    this.host.io(0, `read ${this.port}`, () => {
      this.#readScheduled = false;
      this.readable();
    });
  }

  #close(how: "fin" | "reset"): void {
    this.#closed = true;
    this.#received = [];
    const send = (): void => this.out.sendControl(how);
    if (!this.#broken && !(how === "fin" && this.#finSent)) {
      if (this.host.state === "dead") send();
      else this.host.sendWhenRunning(send);
    }
    this.#connection.endClosed(this);
  }
}

const RESET: Segment = { kind: "reset", chunks: [], length: 0 };

function joined(chunks: readonly Uint8Array[]): Buffer {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) {
    return Buffer.isBuffer(first) ? first : Buffer.from(first.buffer, first.byteOffset, first.length);
  }
  return Buffer.concat(chunks);
}
