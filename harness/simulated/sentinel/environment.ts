import type { NodeAddress } from "./node-address.ts";
import type { OutgoingConnection } from "./outgoing-connection.ts";
import type { SentinelOptions } from "./sentinel-options.ts";

/** A transport that was dialled. */
export interface Wire {
  write(text: string): void;
  close(): void;
}

/** The events of a transport. After `onGone`, or after it was closed, there are none. */
export interface WireHandler {
  onOpen(): void;
  onText(text: string): void;
  onGone(): void;
}

/** The Sentinel's interface to the world. All of it is synchronous; text is binary, one UTF-16 unit per byte. */
export interface SentinelEnvironment {
  /** The address at which others reach it. */
  readonly host: string;
  /** Its wall clock, in whole milliseconds since 1970. It may jump either way. */
  nowMs(): number;
  /** A uniform integer from 0 to `count` - 1. */
  randomBelow(count: number): number;
  dial(address: NodeAddress, handler: WireHandler): Wire;
  /** A connection has output: it must be flushed when the current event is over. */
  wrote(connection: OutgoingConnection): void;
  /** An event of its own, to be published to its clients. */
  announce(channel: string, message: string): void;
  /** Writes its configuration to disk, durably. */
  save(configuration: SentinelOptions): void;
  /** Ends its process at once. */
  crash(): never;
}
