import { ComposedLock } from "../parts/compose.ts";
import { TIMEOUTS, type Timeouts } from "../parts/connection-options.ts";
import type { AcquireOptions, Completion, Grant, LockClient, LockDriver } from "../../harness/core/lock-driver.ts";
import { type LockParts, soundParts } from "../parts/lock-parts.ts";
import { ownedKey } from "../parts/protocol.ts";
import { connectServers, targetsOf } from "../parts/servers.ts";
import type { TryOutcome, Waiter } from "../parts/waiting.ts";
import { type HashRing, hashRing } from "./hash-ring.ts";

/** How a client finds the server of a key. */
interface Routing {
  /**
   * How long a client avoids a server that it could not reach and takes that server's keys to the next one on the ring.
   * Absent: a key never moves.
   */
  readonly awayMs?: number;
  /** How long a server may take. Default: short enough to ask another one. */
  readonly timeouts?: Timeouts;
}

/** A client has the time to ask another server. */
const IMPATIENT: Timeouts = { ...TIMEOUTS, commandMs: 100 };

/** Builds the driver of a lock that keeps each key on one of several independent servers. */
export function routedLock(routing: Routing): LockDriver {
  // `single` on each server by itself.
  const parts: LockParts = { ...soundParts, protocol: ownedKey, timeouts: routing.timeouts ?? IMPATIENT };
  return {
    async connect({ servers }) {
      const targets = targetsOf(servers);
      const connections = await connectServers(targets, parts.timeouts);
      const waiter = await parts.waiting(targets);
      const nodes = connections.map((connection) => new ComposedLock(parts, [connection], waiter));
      return new RoutedLock(nodes, { ...routing, waiter, ring: hashRing(nodes.map(nameOf)) });
    },
  };
}

/** By its place in the list and not by its address: each client may reach the servers by its own addresses. */
function nameOf(_: ComposedLock, index: number): string {
  return `node-${index}`;
}

interface Route extends Routing {
  readonly ring: HashRing;
  readonly waiter: Waiter;
}

/** One client of a lock that keeps each key on one of several servers. */
class RoutedLock implements LockClient {
  readonly #nodes: readonly ComposedLock[];
  readonly #route: Route;
  /** Until when this client avoids each node, on the monotonic clock. Each client has its own view. */
  readonly #awayUntilMs = new Map<ComposedLock, number>();
  /** Where each hold is: it is released and extended there, even if the key belongs elsewhere by then. */
  readonly #holds = new Map<string, ComposedLock>();

  constructor(nodes: readonly ComposedLock[], route: Route) {
    this.#nodes = nodes;
    this.#route = route;
  }

  acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>> {
    return this.#route.waiter.wait(key, options, () => this.#tryOnce(key, options));
  }

  async extend(grant: Grant, ttlMs: number): Promise<Completion<Grant>> {
    const { extend } = this.#nodeOf(grant);
    if (extend === undefined) throw new Error("this lock cannot be extended");
    return extend(grant, ttlMs);
  }

  async release(grant: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const completion = await this.#nodeOf(grant).release(grant);
    if (completion.type === "ok") this.#holds.delete(grant.owner);
    return completion;
  }

  onLost(listener: (lost: { readonly key: string; readonly owner: string }) => void): void {
    for (const node of this.#nodes) node.onLost(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
  }

  /** Asks one node after another until one says yes or no. */
  async #tryOnce(key: string, { ttlMs, signal }: AcquireOptions): Promise<TryOutcome<Grant>> {
    let left: TryOutcome<never> | undefined;
    let last: TryOutcome<never> = { type: "fail", kind: "error", reason: "there is no server" };
    for (const node of this.#candidates(key)) {
      const outcome = await node.acquire(key, { ttlMs, waitMs: 0, signal });
      if (outcome.type === "ok") {
        this.#holds.set(outcome.value.owner, node);
        return { type: "ok", value: { ...outcome.value, place: nameOf(node, this.#nodes.indexOf(node)) } };
      }
      last = outcome;
      // The lock may be set there although no client holds it.
      if (outcome.type === "info") left ??= outcome;
      if (outcome.type === "fail" && outcome.kind === "contended") break;
      this.#awayUntilMs.set(node, performance.now() + (this.#route.awayMs ?? 0));
    }
    return left ?? last;
  }

  /** The key's home, or, where keys move, the nodes in ring order without those this client avoids. */
  #candidates(key: string): readonly ComposedLock[] {
    const nodes = this.#route.ring(key).flatMap((index) => this.#nodes[index] ?? []);
    if (this.#route.awayMs === undefined) return nodes.slice(0, 1);
    const present = nodes.filter((node) => performance.now() >= (this.#awayUntilMs.get(node) ?? 0));
    return present.length > 0 ? present : nodes;
  }

  #nodeOf({ key, owner }: Grant): ComposedLock {
    const node = this.#holds.get(owner) ?? this.#candidates(key)[0];
    if (node === undefined) throw new Error("there is no server");
    return node;
  }
}
