import type { Connection } from "./connection.ts";
import type { Completion } from "./driver.ts";
import { siblingKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** One acquisition: who wants what for how long. */
export interface Acquisition {
  readonly key: string;
  readonly owner: string;
  readonly ttlMs: number;
  /** True when the owner believes that it holds already and enters once more. */
  readonly inner: boolean;
}

/** A server's answer to a try. `taken: false`: somebody else holds the lock there, for `heldForMs` if it said so. */
export type Taking =
  | { readonly taken: false; readonly heldForMs?: number }
  | { readonly taken: true; readonly fence?: number };

/**
 * What is said to one server. One try each, without waiting: `ok` carries the server's answer, `fail` means that it
 * certainly did nothing, `info` that nobody knows. The same protocol serves a single server and each node of Redlock.
 */
export interface Protocol {
  take(server: Connection, acquisition: Acquisition): Promise<Completion<Taking>>;
  /** True when the lock was the owner's and is now free. */
  free(server: Connection, acquisition: Pick<Acquisition, "key" | "owner">): Promise<Completion<boolean>>;
  /** True when the lock is the owner's and its lease was set anew. */
  prolong?(server: Connection, acquisition: Acquisition): Promise<Completion<boolean>>;
  /** Passes the lock from the owner to the next one, with a lease and a fencing token of its own, never free between. */
  pass?(server: Connection, acquisition: Acquisition, nextOwner: string): Promise<Completion<Taking>>;
}

const releaseScript = loadScript("release");
const extendScript = loadScript("extend");
const acquireFencedScript = loadScript("acquire-fenced");

/**
 * SET NX PX to take; compare-and-delete to free; compare-and-pexpire to prolong (redis.io, "Distributed locks with
 * Redis"). Each is atomic on the server, and each acts only on the owner's own lock.
 */
export const ownedKey = {
  async take(server, { key, owner, ttlMs }) {
    return map(await server.command("SET", key, owner, "PX", ttlMs, "NX"), (reply) => ({ taken: reply === "OK" }));
  },
  async free(server, { key, owner }) {
    return map(await server.run(releaseScript, [key], owner), isOne);
  },
  async prolong(server, { key, owner, ttlMs }) {
    return map(await server.run(extendScript, [key], owner, ttlMs), isOne);
  },
} satisfies Protocol;

/** The owned key, and a fencing token minted in the step that takes it. Freeing and prolonging leave the token alone. */
export const fencedKey = {
  ...ownedKey,
  async take(server, { key, owner, ttlMs }) {
    const reply = await server.run(acquireFencedScript, [key, siblingKey(key, "fence")], owner, ttlMs);
    return map(reply, (fence): Taking =>
      Number(fence) < 0 ? { taken: false } : { taken: true, fence: Number(fence) },
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
