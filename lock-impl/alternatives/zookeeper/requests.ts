import type { JuteReader, JuteWriter } from "./jute.ts";

/** A request to the server: the number of the operation, its record, and how to read its reply. */
export interface Request<T> {
  readonly operation: number;
  write(writer: JuteWriter): void;
  read(reader: JuteReader): T;
}

/** Error codes by which the server says that it did nothing (KeeperException in ZooKeeper's sources). */
export const NO_NODE = -101;
export const NODE_EXISTS = -110;
export const SESSION_EXPIRED = -112;
export const SESSION_MOVED = -118;

/** Request numbers of messages that are no requests: what the server sends unasked, and the heartbeat. */
export const NOTIFICATION_XID = -1;
export const PING_XID = -2;

export const PING = 11;
const CLOSE_SESSION = -11;

/** Flags of `create`. */
const EPHEMERAL_SEQUENTIAL = 3;
const CONTAINER = 4;

export interface CreatedZnode {
  readonly path: string;
  /** The zxid of the transaction that created it: the epoch in the high 32 bits, a counter in the low ones. */
  readonly czxid: bigint;
}

/** Creates an ephemeral znode, at the path followed by a number that grows with each child of its parent. */
export function createEphemeralSequential(path: string): Request<CreatedZnode> {
  return create(15, path, EPHEMERAL_SEQUENTIAL);
}

/** Creates a znode that the server removes some time after its last child has gone. */
export function createContainer(path: string): Request<CreatedZnode> {
  return create(19, path, CONTAINER);
}

/** Deletes a znode, regardless of its version. */
export function deleteZnode(path: string): Request<undefined> {
  return { operation: 2, write: (writer) => void writer.string(path).int32(-1), read: () => undefined };
}

/** The names of a znode's children, in no order. */
export function getChildren(path: string): Request<readonly string[]> {
  return {
    operation: 8,
    write: (writer) => void writer.string(path).boolean(false),
    read: (reader) => reader.strings(),
  };
}

/**
 * Looks at a znode; with `watch` its connection is told once, when the znode changes or goes. Unlike `exists` it leaves
 * no watch on a znode that is already gone.
 */
export function getData(path: string, { watch }: { readonly watch: boolean }): Request<CreatedZnode> {
  return {
    operation: 4,
    write: (writer) => void writer.string(path).boolean(watch),
    read: (reader) => {
      reader.buffer();
      return { path, czxid: reader.int64() };
    },
  };
}

/** Ends the session: its ephemeral znodes go at once. */
export const closeSession: Request<undefined> = { operation: CLOSE_SESSION, write: () => {}, read: () => undefined };

function create(operation: number, path: string, flags: number): Request<CreatedZnode> {
  return {
    operation,
    write: (writer) => {
      writer.string(path).buffer(new Uint8Array());
      // One entry of the access control list: all rights for the world.
      writer.int32(1).int32(31).string("world").string("anyone");
      writer.int32(flags);
    },
    // The path, then a Stat, whose first field is the czxid.
    read: (reader) => ({ path: reader.string(), czxid: reader.int64() }),
  };
}
