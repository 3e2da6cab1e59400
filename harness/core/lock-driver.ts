import type { Sharing, Supports } from "./sharing.ts";

/**
 * Connects the harness to the lock under test. The same driver runs in the simulation and in the client processes of live
 * and container runs. Durations are in milliseconds.
 */
export interface LockDriver {
  /** What the lock can do beyond being held by one client at a time. Absent: nothing. */
  readonly supports?: Supports | undefined;
  /** What the lock's promises rest on, beside its servers. Absent: unknown. */
  readonly assumes?: Assumptions | undefined;
  /**
   * Whether what is granted ends by itself, after the TTL. `false`: a holder keeps the lock until it releases it, even if its
   * client dies; then `ttlMs` means nothing. Absent: it ends.
   */
  readonly leases?: false | undefined;
  /** Opens one client of the lock. Disposing the client closes it. */
  connect(environment: LockEnvironment): Promise<LockClient>;
}

/** What has to hold outside of the servers, so that a lock keeps its promises. */
export interface Assumptions {
  /** The wall clocks of its clients agree and do not jump. `false`: its leases do not depend on them. Absent: they may. */
  readonly clientClocks?: boolean | undefined;
}

/** One client of the lock. The harness calls one operation at a time, unless `supports` declares `concurrent`. */
export interface LockClient extends AsyncDisposable {
  /** What the lock supports, if only a connected client can say. Absent: the driver's `supports` applies. */
  readonly supports?: Supports;
  /**
   * Tries to take the lock for `ttlMs`, and waits up to `waitMs` for another holder; 0 means one try. When `signal`
   * aborts, answer soon: an operation that stays unsettled counts as `info`.
   */
  acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>>;
  /** Prolongs the lease of all keys of the grant to `ttlMs` from now. Absent if the lock cannot extend. */
  extend?(grant: Grant, ttlMs: number, options?: ExtendOptions): Promise<Completion<Grant>>;
  /** Releases all keys of the grant. `released`: whether all of them were this owner's. */
  release(grant: Grant): Promise<Completion<{ readonly released: boolean }>>;
  /** Calls `listener` when the lock finds out that a lease is gone. Absent if the lock never finds out. */
  onLost?(listener: (lost: { readonly key: string; readonly owner: string }) => void): void;
  /** Calls `listener` when the lock has renewed a lease by itself. Absent if it never does, or cannot tell. */
  onRenewed?(listener: (renewed: Renewed) => void): void;
  /**
   * Calls `listener` when the server has told the lock that this acquire stands in its queue for the key, before the
   * acquire completes; again when the acquire lost that place and has another one. Heard only if `supports` declares
   * `fair`. Absent if the lock has no such queue.
   */
  onQueued?(listener: (queued: Queued) => void): void;
  /** The wall clock that the lock reads, in milliseconds since 1970. Absent if that is `Date.now()` of this process. */
  wallMs?(): Promise<number>;
}

/** The key whose queue an acquire of the client stands in. */
export interface Queued {
  readonly key: string;
}

/** A lease that the lock renewed by itself, for `validForMs` from `validFromMs` on, a reading of `performance.now()`. */
export interface Renewed {
  readonly key: string;
  readonly owner: string;
  readonly validForMs: number;
  /** If absent, the lease counts from the moment at which the harness sees the renewal. */
  readonly validFromMs?: number;
}

/**
 * How to take the lock. A driver receives `limit`, `permits`, `mode` and `alsoKeys` only if its `supports` declares them.
 * With `alsoKeys`, `ok` means that all keys are held, and `fail` that none is.
 */
export interface AcquireOptions extends Sharing {
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface ExtendOptions {
  /**
   * Never shorten the lease: one that lasts longer stays as it is. Needed for renewals, which may overtake an extension to
   * a longer lease. The harness never sets it, so a driver may ignore it.
   */
  readonly atLeast?: boolean;
}

/** A granted lease. */
export interface Grant {
  readonly key: string;
  /** The value under which the lock is held; compared on release. Fresh for each acquisition in a sound lock. */
  readonly owner: string;
  /** The fencing token, if the lock issues one. */
  readonly fence?: number | undefined;
  /** The keys that are held besides `key`. The harness passes a grant back unchanged, so a driver may keep them here. */
  readonly alsoKeys?: readonly string[];
  /**
   * The server that has the lock, `node-2`, for a lock that lives on one of several servers. Two holders of one key on
   * different servers are in conflict.
   */
  readonly place?: string | undefined;
  /** How long the holder may trust the grant; absent if the lock does not say. */
  readonly validForMs?: number;
  /**
   * The reading of `performance.now()` from which `validForMs` counts. If absent, it counts from the moment at which the
   * harness sees the grant. Then a delay before that moment (a process that is not scheduled) makes the lease look longer.
   */
  readonly validFromMs?: number;
}

/**
 * How an operation ended. `ok`: it took effect. `fail`: it certainly had no effect. `info`: nobody knows, for example
 * after a time-out, because the server may have applied the command or may still apply it. When in doubt, answer `info`.
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

/** The servers' addresses for this client. They lead through this client's own links, which faults disturb. */
export interface LockEnvironment {
  /** The client's name, `client-0`. */
  readonly client: string;
  readonly servers: Servers;
}

/** The servers of a topology: `single` is one server, `sentinel` a master behind Sentinels, `redlock` N independent masters. */
export type Servers =
  | { readonly kind: "single"; readonly address: Address }
  | {
      readonly kind: "sentinel";
      readonly masterName: string;
      readonly sentinels: readonly Address[];
      /** Maps each address that a Sentinel announces, `"10.1.2.3:6379"`, to the one that this client must use (ioredis `natMap`). */
      readonly natMap: Readonly<Record<string, Address>>;
    }
  | { readonly kind: "redlock"; readonly nodes: readonly Address[] }
  | { readonly kind: "postgres"; readonly address: Address }
  | { readonly kind: "zookeeper"; readonly address: Address };
