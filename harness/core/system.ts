import type { Sharing } from "./sharing.ts";
import type { TopologySpec } from "./topology.ts";
import type { MessageTrigger, MessageMoment } from "./trigger.ts";

/**
 * A running topology with its clients and its guarded resource: what a run drives and what faults act on. Every
 * backend (simulated, live, containers) implements it, so that runner, workloads, faults and checkers are the same.
 */
export interface SystemUnderTest extends AsyncDisposable {
  readonly topology: TopologySpec;
  readonly clock: TrueClock;
  /** Data nodes, then Sentinels, in order. The guarded resource is not among them. */
  readonly nodes: readonly NodeHandle[];
  readonly clients: readonly ClientHandle[];
  readonly network: NetworkControl;
  readonly resource: ResourceHandle;
  /** The commands between clients and servers. Absent if the backend cannot follow them. */
  readonly messages?: MessageSource;
  /** Node names by their present role, as the nodes themselves say. Without replication every data node is a master. */
  roles(): Promise<{ readonly masters: readonly string[]; readonly replicas: readonly string[] }>;
  /** Asks a Sentinel for a failover and returns when it has begun, with what was seen. */
  requestFailover(): Promise<Evidence>;
  /** Calls `listener` for everything the system notices by itself. */
  onNotice(listener: (notice: Notice) => void): void;
  /**
   * Reports what is frozen now without a fault, and stops watching for freezes: the run is over. Absent if nothing can
   * be frozen from outside.
   */
  endWatch?(): void;
}

/** Commands on their way between clients and servers, for the triggers that wait for them. */
export interface MessageSource {
  /** The moments at which a command can be met here. */
  readonly moments: readonly MessageMoment[];
  /**
   * From now on counts the commands that clients send, and calls `reached` with the index of a trigger at the k-th
   * command that matches it. If the trigger has no delay, that command goes on when the promise resolves; nothing else
   * waits for it but what follows it on its connection, and in the process that stands at it: the client at `send`, the
   * server at `after`. Called at most once, before the clients begin.
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

/** What was seen of an action's effect. */
export interface Evidence {
  readonly observed: boolean;
  /** In words and figures: "PTTL 39900 became -2". */
  readonly detail: string;
}

export type ProcessState = "running" | "paused" | "dead";

/** What clients and nodes have in common: processes that can be stopped, killed and given a wrong clock. */
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
   * Makes the client do one operation, one at a time. Never rejects: a client that dies leaves the operation `info`. A
   * paused client answers after it is resumed.
   */
  perform(request: ClientRequest): Promise<ClientReply>;
  /**
   * Stops the client the `count`-th time from now that it is about to send something to one of the servers `to`: after
   * all its checks, and before the write that relies on them. The message leaves the client when it continues. Absent
   * if the backend cannot.
   */
  pauseAtSend?(to: readonly string[], count: number): Promise<PauseToCome>;
  /** Closes its lock, as a program does that ends in an orderly way. Absent if the backend cannot. */
  close?(): Promise<void>;
  /** How many of its connections are open. Absent if the backend cannot tell. */
  openConnections?(): number;
  /** Calls `listener` when the lock told the client that its lease is gone. */
  onLost(listener: (lost: { readonly key: string; readonly owner: string }) => void): void;
  /** Calls `listener` when the lock told the client that it has prolonged its lease by itself. */
  onRenewed(listener: (renewed: RenewedLease) => void): void;
}

/** A lease that the lock prolonged by itself. `grantedAt` is on the true clock, in nanoseconds since the start of the run. */
export interface RenewedLease {
  readonly key: string;
  readonly owner: string;
  readonly validForMs: number;
  readonly grantedAt: number;
}

/** A pause that waits for its client to send. */
export interface PauseToCome {
  /** What shows that it waits. */
  readonly evidence: Evidence;
  /** Resumes the client if this pause has stopped it; otherwise cancels the pause, and then observes nothing. */
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
  /** Everything passes only after `ms`. */
  delay(edge: Edge, ms: number): Promise<Evidence>;
  /** Established connections stay and take bytes, but nothing comes out until it is healed. */
  stall(edge: Edge): Promise<Evidence>;
  /** Every connection of the edge, both ways, is reset once. Needs no healing. */
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
   * Makes it lose the largest fencing tokens it has accepted, and nothing else, as a resource that keeps them only in
   * memory loses them in a restart.
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
 * Something the system noticed: a replica became master; a process died that no fault had killed; a lock ended its
 * client's process (`crashed`; `stack` names places in the code); a client sends without pause, so that a simulation
 * would hardly go on (`flooded`); or a process did not run for a while although no
 * fault had stopped it. `froze` is reported when the freeze is over, or when the watch ends (`lasts`); `name` may be a
 * node, a client, `resource`, the proxy between them, or the `harness` itself; `from` and `to` are nanoseconds since
 * the start of the run.
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
    }
  | {
      readonly kind: "froze";
      readonly name: string;
      readonly from: number;
      readonly to: number;
      readonly evidence: string;
      readonly lasts: boolean;
    };

/** A request to a client process, as it goes over its standard input. */
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
 * `contended`: somebody else holds. `error`: it certainly had no effect. `refused`: the guarded resource refused a
 * stale write. `unsupported`: the driver cannot do that. `indeterminate`: it may or may not have had its effect.
 * `invalid-answer`: likewise, because the driver's answer is invalid.
 */
type FailureKind = "contended" | "error" | "refused" | "unsupported" | "indeterminate" | "invalid-answer";
