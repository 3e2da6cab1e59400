import type { Host } from "../kernel/host.ts";
import type { ConnectionTap } from "./connection-tap.ts";
import type { Endpoint, EndpointOwner } from "./endpoint.ts";

/** A simulated server. Its code is synchronous, and receives clock and randomness from its host. */
export interface Service {
  /** A client has connected. The returned handler receives the events of that connection. */
  onConnect(connection: ServiceConnection): ConnectionHandler;
}

/** A service's handler of one connection. */
export interface ConnectionHandler {
  onData(bytes: Buffer): void;
  /** The peer sends no more. Absent: the service closes as well, as Redis does. */
  onEnd?(): void;
  /**
   * The connection is gone: `closed` by this side or after both have ended, or `reset` by the peer or the network.
   * Called once; not when this host itself dies.
   */
  onClose?(how: "closed" | "reset"): void;
}

/** A connection as a service holds it. */
export class ServiceConnection implements EndpointOwner {
  readonly #endpoint: Endpoint;
  #handler: ConnectionHandler | null = null;
  #over = false;

  constructor(endpoint: Endpoint, onOpen: (connection: ServiceConnection) => ConnectionHandler) {
    this.#endpoint = endpoint;
    this.onOpen = () => {
      this.#handler = onOpen(this);
    };
    endpoint.adopt(this);
  }

  /** For the network. */
  readonly onOpen: () => void;

  /** The host that this end belongs to. */
  get host(): Host {
    return this.#endpoint.host;
  }

  /** The host of the other end. */
  get peer(): Host {
    return this.#endpoint.peer.host;
  }

  /** What follows this connection's requests, if anything does. */
  get tap(): ConnectionTap | undefined {
    return this.#endpoint.tap;
  }

  get remoteAddress(): string {
    return this.#endpoint.peer.address;
  }

  get remotePort(): number {
    return this.#endpoint.peer.port;
  }

  get localAddress(): string {
    return this.#endpoint.address;
  }

  get localPort(): number {
    return this.#endpoint.port;
  }

  /** Bytes written that the peer has not read yet. */
  get unreadBytes(): number {
    return this.#endpoint.out.underWay;
  }

  get closed(): boolean {
    return this.#over;
  }

  /** Sends bytes, which must not be changed afterwards. Does nothing once the connection is over. */
  write(bytes: Uint8Array): void {
    this.#endpoint.write(bytes);
  }

  /** Ends sending; receiving continues. */
  end(): void {
    this.#endpoint.shutdown();
  }

  /** Closes after what was written. */
  close(): void {
    this.#endpoint.close();
    this.#finish("closed");
  }

  /** Closes with a reset. */
  reset(): void {
    this.#endpoint.reset();
    this.#finish("closed");
  }

  /** For the network. */
  onBytes(bytes: Buffer): void {
    this.#handler?.onData(bytes);
  }

  /** For the network. */
  onEnd(): void {
    if (this.#handler?.onEnd === undefined) this.close();
    else this.#handler.onEnd();
  }

  /** For the network. */
  onReset(): void {
    this.#finish("reset");
  }

  #finish(how: "closed" | "reset"): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler?.onClose?.(how);
  }
}
