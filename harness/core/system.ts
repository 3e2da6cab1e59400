import type { Queued } from "./lock-driver.ts";
import type { ObservedWire } from "./messages/observed-wire.ts";
import type { Sharing } from "./sharing.ts";
import type { TopologySpec } from "./topology.ts";
import type { MessageTrigger, MessageMoment } from "./trigger.ts";

/**
 * A running topology with its clients and its guarded resource. Runs drive it, and faults act on it. Every backend
 * (simulated, live, containers) implements it, so runner, workloads, faults and checkers are the same on all of them.
 */
export interface SystemUnderTest extends AsyncDisposable {
  readonly topology: TopologySpec;
  readonly clock: TrueClock;
  /** Data nodes, then Sentinels, in order. The guarded resource is not among them. */
  readonly nodes: readonly NodeHandle[];
  readonly clients: readonly ClientHandle[];
  readonly network: NetworkControl;
  readonly resource: ResourceHandle;
  /** The commands between clients and servers. Absent if the backend cannot observe them. */
  readonly messages?: MessageSource;
  /** Node names by the role that each node reports now. Without replication every data node is a master. */
  roles(): Promise<{ readonly masters: readonly string[]; readonly replicas: readonly string[] }>;
  /** Asks a Sentinel for a failover, and returns when the failover has begun, with the evidence. */
  requestFailover(): Promise<Evidence>;
  /** Calls `listener` for everything the system notices by itself. */
  onNotice(listener: (notice: Notice) => void): void;
  /**
   * Reports what is frozen now without a fault, and stops watching for freezes. Called at the end of the run. Absent if
   * nothing outside the run can freeze its parts.
   */
  endWatch?(): void;
}

/** Commands on their way between clients and servers, for the triggers that wait for them. */
export interface MessageSource {
  /** What was seen of the commands so far. Absent if they are not recorded. */
  readonly observed?: ObservedWire | undefined;
  /** The moments of a command that this backend can observe. */
  readonly moments: readonly MessageMoment[];
  /**
   * From now on counts the commands that clients send, and calls `reached` with the index of a trigger at the k-th
   * command that matches it. If the trigger has no delay, that command goes on when the promise resolves. Meanwhile only
   * later messages of its connection wait, and one process: the client at `send`, the server at `after`. Called at most
   * once, before the clients begin.
   */
  watch(triggers: readonly MessageTrigger[], reached: (index: number) => Promise<void>): Promise<void>;
}

/** The clock that no fault touches. */
export interface TrueClock {
  /** Integer nanoseconds since the start of the run. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What was observed of an action's effect. */
export interface Evidence {
  readonly observed: boolean;
  /** Certainly nothing was done: what was asked for was refused, or nobody was asked. */
  readonly refused?: boolean | undefined;
  /** In words and figures: "PTTL 39900 became -2". */
  readonly detail: string;
}

export type ProcessState = "running" | "paused" | "dead";

/** A client or a node: a process that can be stopped, killed and given a wrong clock. */
export interface ProcessHandle {
  /** `client-0`, `node-2`, `sentinel-1`. */
  readonly name: string;
  state(): Promise<ProcessState>;
  /** Stops executing, as in a long garbage collection; established connections stay. */
  pause(): Promise<Evidence>;
  resume(): Promise<Evidence>;
  /** Ends at once, as by SIGKILL. */
  kill(): Promise<Evidence>;
  /** Steps the wall clock by `ms`, positive or negative; the monotonic clock goes on. */
  jumpClock(ms: number): Promise<Evidence>;
  /** Makes all its clocks run at `rate` times the right speed from now on; 1 is right. Absent if the backend cannot. */
  setClockRate?(rate: number): Promise<Evidence>;
}

export interface NodeHandle extends ProcessHandle {
  readonly role: "data" | "sentinel";
  /** Starts a dead node. `keepData: false` starts it empty. */
  start(options: { readonly keepData: boolean }): Promise<Evidence>;
  /**
   * Ends at once, as when the power fails: data written but not yet synced to disk is lost. The node is then dead and
   * can be started. Absent if the backend cannot.
   */
  losePower?(): Promise<Evidence>;
  /** Runs a Redis command over a connection of the harness's own, which no fault touches. */
  command(...args: readonly (string | number)[]): Promise<unknown>;
}

export interface ClientHandle extends ProcessHandle {
  /**
   * Makes the client perform one operation. It may have others under way: a driver that does not declare `concurrent` is then
   * called when these are over. If the client dies, the operation is `info`. A paused client answers after it is resumed.
   *
   * @param invoked index of its invocation in the history; undefined: none
   * @throws UnusableClientError if the driver has made it impossible to go on; never anything else
   */
  perform(request: ClientRequest, invoked?: number): Promise<ClientReply>;
  /**
   * Stops the client when it is about to send its `count`-th message from now to one of the servers `to`: after all its
   * checks, and before the write that relies on them. The message leaves the client when the client continues. Absent if
   * the backend cannot.
   */
  pauseAtSend?(to: readonly string[], count: number): Promise<PauseToCome>;
  /** Closes the client's lock, like a program that ends in an orderly way. Absent if the backend cannot. */
  close?(): Promise<void>;
  /** The number of the client's open connections. Absent if the backend cannot tell. */
  openConnections?(): number;
  /** The number of the client's timers that keep its process alive. Absent if the backend cannot tell. */
  openTimers?(): number;
  /** Calls `listener` when the lock told the client that its lease is gone. */
  onLost(listener: (lost: { readonly key: string; readonly owner: string }) => void): void;
  /** Calls `listener` when the lock told the client that it has renewed the lease by itself. */
  onRenewed(listener: (renewed: RenewedLease) => void): void;
  /** Calls `listener` when the lock told the client that its acquire stands in the queue for a key. */
  onQueued(listener: (queued: Queued) => void): void;
}

/** A lease that the lock renewed by itself. `grantedAt` is on the true clock, in nanoseconds since the start of the run. */
export interface RenewedLease {
  readonly key: string;
  readonly owner: string;
  readonly validForMs: number;
  readonly grantedAt: number;
}

/** A pause that begins when its client is about to send. */
export interface PauseToCome {
  /** Evidence that the pause is armed. */
  readonly evidence: Evidence;
  /** Resumes the client if this pause has stopped it. Otherwise cancels the pause; then there is no evidence of a pause. */
  end(): Promise<Evidence>;
}

/** A directed edge of the network; each end is the name of a client, a node, a Sentinel or `resource`. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * Faults of single edges. Data flows from `from` to `to`. Bytes that a cut or stalled edge holds arrive after it is
 * healed, as with TCP.
 */
export interface NetworkControl {
  /** Nothing passes. Between nodes, packets are dropped. */
  cut(edge: Edge): Promise<Evidence>;
  /** Delays everything by `ms`. */
  delay(edge: Edge, ms: number): Promise<Evidence>;
  /** Established connections stay and accept bytes, but deliver none until the edge is healed. */
  stall(edge: Edge): Promise<Evidence>;
  /** Resets every connection of the edge once, in both directions. Needs no healing. */
  reset(edge: Edge): Promise<Evidence>;
  /** Undoes cut, delay and stall of this edge. */
  heal(edge: Edge): Promise<Evidence>;
}

/** The guarded resource. */
export interface ResourceHandle {
  /** Calls `listener` for each write in the order the resource applied or refused it, as it becomes known. */
  onAudit(listener: (entry: AuditEntry) => void): void;
  /** Resolves when the listeners have received every write that the resource has seen so far. */
  drain(): Promise<void>;
  /**
   * Makes the resource forget the largest fencing tokens that it has accepted, and nothing else. A resource that keeps them
   * only in memory forgets them in a restart.
   */
  forgetFences(): Promise<Evidence>;
}

export interface AuditEntry {
  readonly key: string;
  /** Number of writes to this key accepted so far, this one included if it was accepted. */
  readonly position: number;
  readonly owner?: string;
  readonly fence?: number;
  readonly data: string;
  readonly accepted: boolean;
  readonly basedOn?: number;
}

/**
 * Something that the system noticed:
 * - a replica became master;
 * - a process died that no fault had killed;
 * - a lock ended its client's process (`crashed`; `stack` names places in the code; `exits` says that it called
 *   `process.exit` or the like);
 * - a client sends without pause, so that virtual time would hardly advance, or so that real servers and the proxies
 *   between them have no time for anything else (`flooded`; `name` is the client, or the server where that is all that
 *   is known);
 * - a process did not run for a while although no fault had stopped it (`froze`). This is reported when the freeze is over,
 *   or at the end of the watch (`lasts`). `name` may be a node, a client, `resource`, the proxy between them, or the
 *   `harness` itself. `from` and `to` are nanoseconds since the start of the run.
 */
export type Notice =
  | { readonly kind: "promotion"; readonly node: string; readonly evidence: string }
  | { readonly kind: "died"; readonly name: string; readonly evidence: string }
  | { readonly kind: "flooded"; readonly name: string; readonly evidence: string }
  | {
      readonly kind: "crashed";
      readonly name: string;
      readonly evidence: string;
      readonly stack: readonly string[];
      readonly exits?: boolean | undefined;
    }
  | {
      readonly kind: "froze";
      readonly name: string;
      readonly from: number;
      readonly to: number;
      readonly evidence: string;
      readonly lasts: boolean;
    };

/** A request to a client process, as the harness writes it to the client's standard input. */
export type ClientRequest =
  | ({ readonly op: "acquire"; readonly key: string; readonly ttlMs: number; readonly waitMs: number } & Sharing)
  | { readonly op: "extend"; readonly key: string; readonly owner: string; readonly ttlMs: number }
  | { readonly op: "release"; readonly key: string; readonly owner: string }
  | { readonly op: "read"; readonly key: string }
  | {
      readonly op: "write";
      readonly key: string;
      readonly owner: string;
      readonly fence?: number;
      readonly data: string;
      readonly basedOn?: number;
    };

/** A client's answer. `grantedAt` is on the true clock, in nanoseconds since the start of the run. */
export type ClientReply =
  | {
      readonly ok: true;
      readonly owner?: string;
      readonly fence?: number;
      readonly place?: string;
      readonly validForMs?: number;
      readonly grantedAt?: number;
      readonly released?: boolean;
      readonly position?: number;
    }
  | { readonly ok: false; readonly kind: FailureKind; readonly reason: string };

/**
 * `contended`: another client holds the lock. `error`: the operation certainly had no effect. `refused`: the guarded
 * resource refused a stale write. `unsupported`: the driver cannot do that. `indeterminate`: nobody knows whether the
 * operation took effect. `invalid-answer`: likewise, because the driver's answer is invalid.
 */
type FailureKind = "contended" | "error" | "refused" | "unsupported" | "indeterminate" | "invalid-answer";
