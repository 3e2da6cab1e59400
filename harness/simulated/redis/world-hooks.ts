import type { Session } from "./session.ts";

/**
 * What the server cannot do by itself, because it needs time, other servers or a disk. Each says what happens when it
 * is absent.
 */
export interface WorldHooks {
  /**
   * WAIT: `resolve` must be called once, now or later, with the number of replicas that have acknowledged
   * `request.offset`. Absent: the number of those that have already, at once.
   */
  wait?(request: WaitRequest): void;
  /** WAITAOF: like `wait`, with whether the local file is synced (0 or 1), and how many replicas have theirs synced. */
  waitForFile?(request: WaitFileRequest): void;
  /** REPLICAOF: follow that master, or none. Absent: only the state is set. */
  replicaOf?(master: { readonly host: string; readonly port: number } | undefined): void;
  /** CONFIG REWRITE. Returns false when there is no configuration file. */
  rewriteConfiguration?(): boolean;
  /** CONFIG SET has changed something. */
  configurationChanged?(names: readonly string[]): void;
  /** SHUTDOWN. */
  shutdown?(save: boolean | undefined): void;
  /** SAVE and BGSAVE: keep the data on disk. */
  save?(): void;
  /** BGREWRITEAOF. */
  rewriteFile?(): void;
  /** A client or a script asked for a command that real servers have and this one does not: it is an unknown command. */
  absentCommand?(name: string): void;
  /** A connection asked where the slots of a cluster are, which only cluster clients do: the server has no cluster support. */
  clusterWanted?(command: string): void;
  /** A connection has sent an HTTP request: the server closes it without a reply. */
  httpWanted?(): void;
  /** A connection has broken the protocol: the server says how and closes it. */
  protocolBroken?(what: string): void;
  /**
   * Where a connection's peer reaches the server at this address, for INFO and ROLE: outside the simulation its addresses mean
   * nothing. Absent: there.
   * @param peer `10.213.0.100:32776`
   */
  readonly placeFor?: ((peer: string, place: ServerPlace) => ServerPlace) | undefined;
  /** redis.log of a script. */
  log?(line: string): void;
}

/** The address of a server. */
export interface ServerPlace {
  readonly host: string;
  readonly port: number;
}

export interface WaitRequest {
  readonly session: Session;
  /** How many replicas are wanted. */
  readonly replicas: number;
  /** 0: without limit. */
  readonly timeoutMs: number;
  /** The offset of the replication stream after this connection's last write. */
  readonly offset: number;
  /** Ends the wait; does nothing when the connection is gone or was already unblocked. */
  resolve(acknowledged: number): void;
}

export interface WaitFileRequest extends Omit<WaitRequest, "resolve"> {
  /** 0 or 1: whether to wait for the local file's sync too. */
  readonly local: number;
  resolve(local: number, replicas: number): void;
}
