/** Types for the parts used of the npm package `redlock` 4.2.0, which has none. */
declare module "redlock4" {
  import type { EventEmitter } from "node:events";
  import type { Redis } from "ioredis";

  export interface Lock {
    readonly value: string;
    /** Wall clock, in milliseconds since the epoch. */
    readonly expiration: number;
    unlock(): Promise<void>;
    extend(ttlMs: number): Promise<Lock>;
  }

  export default class Redlock extends EventEmitter {
    constructor(clients: readonly Redis[], options?: { readonly retryCount?: number });
    lock(resource: string, ttlMs: number): Promise<Lock>;
  }
}

/** Types for the parts used of the npm package `redlock` 5.0.0-beta.2, whose own are hidden by its `exports`. */
declare module "redlock5" {
  import type { EventEmitter } from "node:events";
  import type { Redis } from "ioredis";

  export interface Lock {
    readonly value: string;
    /** Wall clock, in milliseconds since the epoch. */
    readonly expiration: number;
    release(): Promise<unknown>;
    extend(durationMs: number): Promise<Lock>;
  }

  export interface Settings {
    readonly retryCount?: number;
    readonly automaticExtensionThreshold?: number;
  }

  export class ResourceLockedError extends Error {}

  export default class Redlock extends EventEmitter {
    constructor(clients: readonly Redis[]);
    acquire(resources: string[], durationMs: number, settings?: Settings): Promise<Lock>;
    extend(lock: Lock, durationMs: number, settings?: Settings): Promise<Lock>;
    using(
      resources: string[],
      durationMs: number,
      settings: Settings,
      routine: (signal: AbortSignal) => Promise<void>,
    ): Promise<void>;
  }
}

/** Types for the parts used of the npm package `@sesamecare-oss/redlock` 1.4.0. */
declare module "@sesamecare-oss/redlock" {
  import type { EventEmitter } from "node:events";
  import type { Redis } from "ioredis";

  export interface Lock {
    readonly value: string;
    /** Wall clock, in milliseconds since the epoch. */
    readonly expiration: number;
    release(): Promise<unknown>;
    extend(durationMs: number): Promise<Lock>;
  }

  export class ResourceLockedError extends Error {}

  export class Redlock extends EventEmitter {
    constructor(clients: readonly Redis[]);
    acquire(resources: string[], durationMs: number, settings?: { readonly retryCount?: number }): Promise<Lock>;
  }
}
