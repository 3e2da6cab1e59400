import type { Sharing, Supports } from "./sharing.ts";

/**
 * The interface between a lock under test and the harness that drives it. A driver is loaded unchanged by the simulator
 * and by the client process of a containerized run. Durations are in milliseconds.
 */
export interface LockDriver {
  /** What the lock can do beyond being held by one client at a time. Absent: nothing. */
  readonly supports?: Supports | undefined;
  /** Opens one client of the lock. Disposing the client closes it. */
  connect(environment: LockEnvironment): Promise<LockClient>;
}

/** One client of the lock. The harness calls one operation at a time. */
export interface LockClient extends AsyncDisposable {
  /** What it supports, if only a connected client can say. Absent: what the driver states. */
  readonly supports?: Supports;
  /**
   * Tries to take the lock for `ttlMs`, waiting up to `waitMs` for another holder; 0 means one try. When `signal`
   * aborts, the answer is expected soon; an operation that is unsettled then is `info`.
   */
  acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>>;
  /** Prolongs the lease to `ttlMs` from now, that of all keys of the grant. Absent if the lock cannot extend. */
  extend?(grant: Grant, ttlMs: number, options?: ExtendOptions): Promise<Completion<Grant>>;
  /** Gives back the lock, all keys of the grant. `released`: whether it was this owner's; of several keys, all. */
  release(grant: Grant): Promise<Completion<{ readonly released: boolean }>>;
  /** Calls `listener` when the lock itself finds out that a lease is gone. Absent where it never does. */
  onLost?(listener: (lost: { readonly key: string; readonly owner: string }) => void): void;
  /** Calls `listener` when the lock has prolonged a lease by itself. Absent where it never does, or cannot tell. */
  onRenewed?(listener: (renewed: Renewed) => void): void;
  /** The wall clock that the lock reads, in milliseconds since 1970. Absent where it is `Date.now()` of this process. */
  wallMs?(): Promise<number>;
}

/** A lease that the lock prolonged by itself: for `validForMs` from `validFromMs` on, a reading of `performance.now()`. */
export interface Renewed {
  readonly key: string;
  readonly owner: string;
  readonly validForMs: number;
  /** If absent, it counts from when the harness sees it. */
  readonly validFromMs?: number;
}

/**
 * How to take the lock: `limit`, `permits`, `mode` and `alsoKeys` come only to a driver that states them in `supports`. With
 * `alsoKeys`, `ok` means that all keys are held, and `fail` that none is.
 */
export interface AcquireOptions extends Sharing {
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface ExtendOptions {
  /**
   * A lease that lasts longer stays as it is. For renewals, which may overtake an extension to a longer lease. The
   * harness never asks for it; a driver that does not support it may ignore it.
   */
  readonly atLeast?: boolean;
}

/** A granted lease. */
export interface Grant {
  readonly key: string;
  /** The value under which the lock is held; compared on release. Fresh for each acquisition in a sound lock. */
  readonly owner: string;
  /** The fencing token, in locks that mint one. */
  readonly fence?: number | undefined;
  /** The keys that it holds besides `key`, if the driver wants to have them back: a grant is given back as it is. */
  readonly alsoKeys?: readonly string[];
  /**
   * The server that has the lock, `node-2`, in locks that live on one of several servers. Two holders of one key on
   * different servers are in conflict.
   */
  readonly place?: string | undefined;
  /** For how long the holder may trust the grant; absent where the lock says nothing about it. */
  readonly validForMs?: number;
  /**
   * The reading of `performance.now()` that `validForMs` counts from. If absent, it counts from when the harness sees
   * the grant, and the time before that (a process that is not scheduled) seems to have been promised too.
   */
  readonly validFromMs?: number;
}

/**
 * How an operation ended. `ok`: it took effect. `fail`: it certainly did not. `info`: the outcome is unknown, for
 * example after a time-out: the command may have been, or may still be, applied. When in doubt, answer `info`.
 */
export type Completion<T> =
  | { readonly type: "ok"; readonly value: T }
  | { readonly type: "fail"; readonly kind: "contended" | "error"; readonly reason: string }
  | { readonly type: "info"; readonly reason: string };

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where the lock's servers are, as this client sees them, through links of its own. */
export interface LockEnvironment {
  /** The client's name, `client-0`. */
  readonly client: string;
  readonly servers: Servers;
}

/** The servers of a topology: `sentinel` is one master that Sentinels name, `redlock` N independent masters. */
export type Servers =
  | { readonly kind: "single"; readonly address: Address }
  | {
      readonly kind: "sentinel";
      readonly masterName: string;
      readonly sentinels: readonly Address[];
      /** From the address a Sentinel announces, `"10.1.2.3:6379"`, to the one this client must use (ioredis `natMap`). */
      readonly natMap: Readonly<Record<string, Address>>;
    }
  | { readonly kind: "redlock"; readonly nodes: readonly Address[] }
  | { readonly kind: "postgres"; readonly address: Address }
  | { readonly kind: "zookeeper"; readonly address: Address };
