import net from "node:net";
import { Duplex, type DuplexOptions } from "node:stream";
import { HarnessError } from "../../core/errors.ts";
import type { Host } from "../kernel/host.ts";
import { current } from "../kernel/current-context.ts";
import { connectArguments } from "./connect-arguments.ts";
import type { Endpoint, EndpointOwner } from "./endpoint.ts";
import { openConnection } from "./handshake.ts";
import type { Network } from "./network.ts";
import { WINDOW_BYTES } from "./pipe.ts";
import { endedByPeer, socketError, systemError, unknownName } from "./socket-errors.ts";
import { SocketSurface } from "./socket-surface.ts";
import { SocketTimeout } from "./socket-timeout.ts";

const writeToStream = Reflect.get(Duplex.prototype, "write") as (...args: unknown[]) => boolean;

type WriteCallback = (error?: Error | null) => void;

/**
 * The socket of a program in a host, in place of a `net.Socket`. It follows Node's `lib/net.js` step by step, because
 * libraries rely on the order of a socket's events and on which of them come at once, in a tick, or in a later turn of
 * the event loop; `socket-parity.test.ts` compares the two.
 */
export class SimulatedSocket extends SocketSurface implements EndpointOwner {
  readonly #network: Network;
  readonly #host: Host;
  readonly #timer: SocketTimeout;
  #giveUp: (() => void) | null = null;
  #resetting = false;
  #waitingWrite: WriteCallback | null = null;

  constructor(network: Network, host: Host, options: DuplexOptions & { readonly onread?: unknown } = {}) {
    if (options.onread !== undefined) throw new Error("the option onread of a socket is not simulated");
    super(options);
    this.#network = network;
    this.#host = host;
    this.#timer = new SocketTimeout(host, () => this.emit("timeout"));
    this.on("end", this.#refuseWrites);
  }

  connect(...args: unknown[]): this {
    this.#assertInHost();
    const { options, callback } = connectArguments(args);
    if (callback !== undefined) this.once("connect", callback);
    // `http` passes null.
    if ((options.path ?? "") !== "") throw new Error("sockets of the file system are not simulated: connect to a port");
    const port = Number(options.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw Object.assign(new RangeError(`Port should be >= 0 and < 65536. Received ${String(options.port)}.`), {
        code: "ERR_SOCKET_BAD_PORT",
      });
    }
    this.open = true;
    this.connecting = true;
    this.#timer.touch();
    this.#lookUp(options.host ?? "localhost", port);
    return this;
  }

  // Events from the network.

  onBytes(bytes: Buffer): void {
    this.#timer.touch();
    this.bytesReceived += bytes.length;
    if (this.destroyed) return;
    if (!this.push(bytes)) this.endpoint?.readStop();
  }

  onEnd(): void {
    this.#timer.touch();
    // libuv stops reading at the end: only the next write notices a later reset.
    this.endpoint?.readStop();
    if (this.readableEnded) return;
    this.push(null);
    this.read(0);
  }

  onReset(): void {
    this.destroy(systemError("ECONNRESET", "read"));
  }

  // Calls from the stream.

  override _read(size: number): void {
    if (this.connecting || !this.open) this.once("connect", () => this._read(size));
    else this.endpoint?.readStart();
  }

  override _write(data: string | Uint8Array, encoding: BufferEncoding, callback: WriteCallback): void {
    this.#write([typeof data === "string" ? Buffer.from(data, encoding) : data], callback);
  }

  override _writev(
    items: { readonly chunk: string | Uint8Array; readonly encoding: BufferEncoding }[],
    callback: WriteCallback,
  ): void {
    const chunks = items.map(({ chunk, encoding }) =>
      typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk,
    );
    this.#write(chunks, callback);
  }

  override _final(callback: WriteCallback): void {
    if (this.connecting) {
      this.once("connect", () => this._final(callback));
      return;
    }
    if (this.endpoint === null) {
      callback();
      return;
    }
    if (this.endpoint.broken) {
      callback(systemError("EPIPE", "shutdown"));
      return;
    }
    this.endpoint.shutdown();
    this.#host.work.addPending(() => callback());
  }

  override _destroy(exception: Error | null, callback: WriteCallback): void {
    this.connecting = false;
    this.#timer.clear();
    if (this.open) {
      this.#closeHandle();
      const hadError = exception !== null;
      this.#host.work.addClosing(() => {
        this.#waitingWrite?.(null);
        this.emit("close", hadError);
      });
      callback(exception);
    } else {
      callback(exception);
      process.nextTick(() => this.emit("close", false));
    }
  }

  // Calls from programs.

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  resetAndDestroy(): this {
    if (!this.open) return this.destroy(socketError("ERR_SOCKET_CLOSED"));
    const reset = (): void => {
      this.#resetting = true;
      this.destroy();
    };
    if (this.connecting) this.once("connect", reset);
    else reset();
    return this;
  }

  setTimeout(ms: number, callback?: () => void): this {
    if (this.destroyed) return this;
    this.timeout = ms;
    this.#timer.set(ms);
    if (callback !== undefined) {
      if (ms === 0) this.removeListener("timeout", callback);
      else this.once("timeout", callback);
    }
    return this;
  }

  #lookUp(name: string, port: number): void {
    const address = this.#network.resolve(name);
    if (address === name) {
      process.nextTick(() => this.#attempt(address, port));
      return;
    }
    this.#host.post("lookup", () => {
      if (!this.connecting) return;
      if (address === undefined) {
        this.#network.noticeTry(this.#host, name, port);
        process.nextTick(() => this.destroy(unknownName(name)));
        return;
      }
      this.emit("lookup", null, address, 4, name);
      this.#attempt(address, port);
    });
  }

  #attempt(address: string, port: number): void {
    if (!this.connecting) return;
    this.#timer.touch();
    this.emit("connectionAttempt", address, port, 4);
    this.#giveUp = openConnection(this.#network, this.#host, address, port, {
      onConnect: (endpoint) => this.#connected(endpoint),
      onFailure: (code) => {
        const error = systemError(code, "connect", { address, port });
        this.connecting = false;
        this.emit("connectionAttemptFailed", address, port, 4, error);
        this.destroy(error);
      },
    });
  }

  #connected(endpoint: Endpoint): void {
    this.#giveUp = null;
    this.endpoint = endpoint;
    endpoint.readStop();
    endpoint.adopt(this);
    this.connecting = false;
    this.#timer.touch();
    this.emit("connect");
    this.emit("ready");
    if (!this.isPaused()) this.read(0);
  }

  #write(chunks: Uint8Array[], callback: WriteCallback): void {
    this.#assertInHost();
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (this.connecting) {
      this.#writeOnceConnected(chunks, length, callback);
      return;
    }
    const endpoint = this.endpoint;
    if (endpoint === null) {
      callback(socketError("ERR_SOCKET_CLOSED"));
      return;
    }
    this.#timer.touch();
    if (endpoint.broken) {
      callback(systemError("EPIPE", "write"));
      return;
    }
    this.bytesSent += length;
    // Programs may reuse a buffer once the write has called back, which is before the bytes arrive.
    for (const chunk of chunks) endpoint.write(Buffer.from(chunk));
    if (endpoint.out.underWay <= WINDOW_BYTES) callback();
    else this.#waitForRoom(endpoint, callback);
  }

  #writeOnceConnected(chunks: Uint8Array[], length: number, callback: WriteCallback): void {
    this.pendingBytes = length;
    const onClose = (): void => callback(socketError("ERR_SOCKET_CLOSED_BEFORE_CONNECTION"));
    this.once("connect", () => {
      this.off("close", onClose);
      this.pendingBytes = 0;
      this.#write(chunks, callback);
    });
    this.once("close", onClose);
  }

  #waitForRoom(endpoint: Endpoint, callback: WriteCallback): void {
    this.#waitingWrite = callback;
    endpoint.out.whenRoom(() => {
      if (this.#waitingWrite !== callback) return;
      this.#waitingWrite = null;
      this.#timer.touch();
      callback();
    });
  }

  #closeHandle(): void {
    this.open = false;
    this.#giveUp?.();
    this.#giveUp = null;
    if (this.#resetting) this.endpoint?.reset();
    else this.endpoint?.close();
    this.endpoint = null;
  }

  readonly #refuseWrites = (): void => {
    if (this.allowHalfOpen) return;
    this.write = (...args: unknown[]): boolean => {
      if (!this.writableEnded) return Reflect.apply(writeToStream, this, args);
      const [, encoding, callback] = args;
      const error = endedByPeer();
      const tell = typeof encoding === "function" ? encoding : callback;
      if (typeof tell === "function") process.nextTick(() => void Reflect.apply(tell, undefined, [error]));
      this.destroy(error);
      return false;
    };
  };

  #assertInHost(): void {
    if (current.host === this.#host) return;
    const where = current.host === null ? "outside every host" : `in ${current.host.name}`;
    throw new HarnessError(`a socket of ${this.#host.name} was used ${where}`);
  }
}

// `instanceof net.Socket` holds, but all relevant methods are overridden: socket-parity.test.ts checks it.
Object.setPrototypeOf(SocketSurface.prototype, net.Socket.prototype);
