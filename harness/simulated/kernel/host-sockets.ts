import type { Duplex } from "node:stream";

/** A socket as the patched platform handles it; the program takes it for a `net.Socket`. */
export interface HostSocket extends Duplex {
  connect(...args: unknown[]): this;
  setTimeout(ms: number): this;
}

/** The requests of the patched platform to the network on behalf of a host. */
export interface HostSockets {
  /** A socket that is not yet connected. @param options as `net.Socket` takes them */
  create(options?: object): HostSocket;
  /** The address of a name; undefined for an unknown host. An address resolves to itself. */
  resolve(name: string): string | undefined;
}
