import { Duplex, type DuplexOptions } from "node:stream";
import type { Endpoint } from "./endpoint.ts";

interface Peer {
  readonly address: string;
  readonly port: number;
  readonly family: "IPv4";
}

/** The part of a socket that only reports its state, or that needs no work in a network in memory. */
export abstract class SocketSurface extends Duplex {
  connecting = false;
  timeout?: number | undefined;
  override allowHalfOpen: boolean;
  readonly autoSelectFamilyAttemptedAddresses: string[] = [];
  /** True from `connect` to `destroy`, as long as Node's socket has a handle. */
  protected open = false;
  /** Set from the connection's beginning to `destroy`. */
  protected endpoint: Endpoint | null = null;
  protected bytesReceived = 0;
  protected bytesSent = 0;
  /** Bytes that were written before there was a connection, and that the stream no longer counts as its own. */
  protected pendingBytes = 0;
  #peer: Peer | undefined;

  constructor(options: DuplexOptions) {
    const allowHalfOpen = options.allowHalfOpen === true;
    // As in lib/net.js.
    super({ ...options, allowHalfOpen, emitClose: false, autoDestroy: true, decodeStrings: false });
    this.allowHalfOpen = allowHalfOpen;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTypeOfService(): this {
    return this;
  }

  getTypeOfService(): number {
    return 0;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  address(): object {
    return this.endpoint === null ? {} : { address: this.endpoint.address, family: "IPv4", port: this.endpoint.port };
  }

  get pending(): boolean {
    return !this.open || this.connecting;
  }

  get readyState(): "opening" | "open" | "readOnly" | "writeOnly" | "closed" {
    if (this.connecting) return "opening";
    if (this.readable && this.writable) return "open";
    if (this.readable) return "readOnly";
    return this.writable ? "writeOnly" : "closed";
  }

  get bufferSize(): number {
    return this.open ? this.writableLength : 0;
  }

  get bytesRead(): number {
    return this.bytesReceived;
  }

  get bytesWritten(): number {
    return this.bytesSent + this.pendingBytes + this.#queuedBytes();
  }

  get remoteAddress(): string | undefined {
    return this.#peerName()?.address;
  }

  get remotePort(): number | undefined {
    return this.#peerName()?.port;
  }

  get remoteFamily(): string | undefined {
    return this.#peerName()?.family;
  }

  get localAddress(): string | undefined {
    return this.endpoint?.address;
  }

  get localPort(): number | undefined {
    return this.endpoint?.port;
  }

  get localFamily(): string | undefined {
    return this.endpoint === null ? undefined : "IPv4";
  }

  /** The bytes that the stream holds back while an earlier write is not finished. */
  #queuedBytes(): number {
    const queue: unknown = Reflect.get(this, "writableBuffer");
    if (!Array.isArray(queue)) return 0;
    const items = queue as { readonly chunk: string | Uint8Array; readonly encoding: BufferEncoding }[];
    return items.reduce((sum, { chunk, encoding }) => sum + Buffer.byteLength(chunk, encoding), 0);
  }

  #peerName(): Peer | undefined {
    if (this.endpoint !== null && !this.connecting) {
      const { address, port } = this.endpoint.peer;
      this.#peer ??= { address, port, family: "IPv4" };
    }
    return this.#peer;
  }
}
