/**
 * The interface between a lock under test and whatever drives it. A driver is loaded unchanged by the simulator and by
 * the client process of a containerized run. Durations are in milliseconds.
 */
export interface LockDriver {
  /** Opens one client of the lock. It is closed by disposing it. */
  connect(environment: LockEnvironment): Promise<LockClient>;
}

/** One client of the lock. It is asked for one thing at a time. */
export interface LockClient extends AsyncDisposable {
  /**
   * Tries to take the lock for `ttlMs`, waiting up to `waitMs` for another holder; 0 means one try.
   * When `signal` aborts, the answer is expected soon; whatever is then unsettled is `info`.
   */
  acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>>;
  /** Prolongs the lease to `ttlMs` from now. Absent where the lock has no such thing. */
  extend?(grant: Grant, ttlMs: number): Promise<Completion<Grant>>;
  release(grant: Grant): Promise<Completion<{ readonly released: boolean }>>;
  /** Calls `listener` when the lock itself finds out that a lease is gone. Absent where it never does. */
  onLost?(listener: (lost: { readonly key: string; readonly owner: string }) => void): void;
}

export interface AcquireOptions {
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** A granted lease. */
export interface Grant {
  readonly key: string;
  /** The value under which the lock is held; compared on release. Fresh for each acquisition in a sound lock. */
  readonly owner: string;
  /** The fencing token, in locks that mint one. */
  readonly fence?: number;
  /** The server that has it, `node-2`, in locks that live on one of several. Who holds the same key elsewhere is at odds. */
  readonly place?: string;
  /** For how long the holder may trust the grant; absent where the lock says nothing about it. */
  readonly validForMs?: number;
  /**
   * The reading of `performance.now()` that `validForMs` counts from. Absent: from when the harness sees the grant, and
   * what passes before that (a process that is not scheduled) seems to have been promised too.
   */
  readonly validFromMs?: number;
}

/**
 * How an operation ended. `ok`: it took effect. `fail`: it certainly did not. `info`: nobody knows, for example after a
 * time-out: the command may have been, or may still be, applied. When in doubt it is `info`.
 */
export type Completion<T> =
  | { readonly type: "ok"; readonly value: T }
  | { readonly type: "fail"; readonly kind: "contended" | "error"; readonly reason: string }
  | { readonly type: "info"; readonly reason: string };

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
