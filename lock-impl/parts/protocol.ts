import type { Connection } from "./connection.ts";
import type { Completion } from "../../harness/core/lock-driver.ts";
import type { Sharing } from "../../harness/core/sharing.ts";
import { siblingKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** One try to acquire: the owner, the key and the lease. */
export interface AcquireRequest {
  readonly key: string;
  readonly owner: string;
  readonly ttlMs: number;
  /** True when the owner believes that it already holds and enters once more. */
  readonly inner: boolean;
  /** How the key is shared, for protocols of semaphores and read-write locks, or what else is taken with it. */
  readonly sharing?: Sharing;
}

/** A lease to extend. */
export interface ExtendRequest extends Pick<AcquireRequest, "key" | "owner" | "ttlMs" | "sharing"> {
  /**
   * A lease that lasts longer than `ttlMs` stays as it is: a late renewal must not shorten what the holder was promised
   * since.
   */
  readonly atLeast: boolean;
}

/**
 * A server's answer to a try. `granted: false`: another client holds the lock there, for `heldForMs` if the server said
 * so.
 */
export type AcquireAnswer =
  | { readonly granted: false; readonly heldForMs?: number }
  | { readonly granted: true; readonly fence?: number };

/**
 * The requests to one server, one try each, without waiting: `ok` carries the server's answer, `fail` means that the
 * server certainly did nothing, `info` that nobody knows. The same protocol serves a single server and each node of
 * Redlock.
 */
export interface Protocol {
  /** Acquires the lock there for `ttlMs`, if nobody has it. */
  acquire(server: Connection, request: AcquireRequest): Promise<Completion<AcquireAnswer>>;
  /** True when the owner had the lock and it is now free. */
  release(server: Connection, request: Pick<AcquireRequest, "key" | "owner" | "sharing">): Promise<Completion<boolean>>;
  /** True when the owner has the lock and its lease lasts for `ttlMs` from now. */
  extend?(server: Connection, request: ExtendRequest): Promise<Completion<boolean>>;
  /**
   * Passes the lock from the owner to the next one, with a lease and a fencing token of its own. It is never free in
   * between.
   */
  handOver?(server: Connection, request: AcquireRequest, nextOwner: string): Promise<Completion<AcquireAnswer>>;
}

const releaseScript = loadScript("release");
const extendScript = loadScript("extend");
const acquireFencedScript = loadScript("acquire-fenced");

/**
 * SET NX PX to acquire; compare-and-delete to release; compare-and-pexpire to extend (redis.io, "Distributed locks with
 * Redis"). Each is atomic on the server, and each acts only on the owner's own lock.
 */
export const ownedKey = {
  async acquire(server, { key, owner, ttlMs }) {
    return map(await server.command("SET", key, owner, "PX", ttlMs, "NX"), (reply) => ({ granted: reply === "OK" }));
  },
  async release(server, { key, owner }) {
    return map(await server.run(releaseScript, [key], owner), isOne);
  },
  async extend(server, { key, owner, ttlMs, atLeast }) {
    return map(await server.run(extendScript, [key], owner, ttlMs, ...(atLeast ? ["at-least"] : [])), isOne);
  },
} satisfies Protocol;

/**
 * The owned key, and a fencing token minted in the step that takes it. Release and extend leave the fencing token
 * alone.
 */
export const fencedKey = {
  ...ownedKey,
  async acquire(server, { key, owner, ttlMs }) {
    const reply = await server.run(acquireFencedScript, [key, siblingKey(key, "fence")], owner, ttlMs);
    return map(reply, (fence): AcquireAnswer =>
      Number(fence) < 0 ? { granted: false } : { granted: true, fence: Number(fence) },
    );
  },
} satisfies Protocol;

/** The completion with its value, if it has one, turned into another. */
export function map<From, To>(completion: Completion<From>, to: (value: From) => To): Completion<To> {
  return completion.type === "ok" ? { type: "ok", value: to(completion.value) } : completion;
}

/** True for the integer reply 1. */
export function isOne(reply: unknown): boolean {
  return reply === 1;
}
