import type { Connection } from "./connection.ts";
import type {
  AcquireOptions,
  Completion,
  ExtendOptions,
  Grant,
  LockClient,
  LockDriver,
  LockEnvironment,
} from "../../harness/core/lock-driver.ts";
import { type Lease, startLease } from "./lease.ts";
import { type LockParts, mayBeLeft, soundParts } from "./lock-parts.ts";
import type { OwnHolds, Try } from "./own-holds.ts";
import { type AcquireRequest, map, type ExtendRequest, type Protocol, type AcquireAnswer } from "./protocol.ts";
import type { Sharing } from "../../harness/core/sharing.ts";
import { decide, tally } from "./quorum.ts";
import { connectServers, type LockServers, targetsOf } from "./servers.ts";
import type { TryOutcome, Waiter } from "./waiting.ts";

/** The parts that a lock names; all other parts are the sound ones. */
export type NamedParts = Partial<LockParts> & Pick<LockParts, "protocol">;

/** Builds a driver from its parts. */
export function composeLock(named: NamedParts): LockDriver {
  return {
    supports: named.supports,
    connect: ({ servers }: LockEnvironment): Promise<LockClient> => connectLock(named, servers),
  };
}

/** Builds and connects one client of a lock from its parts. */
export async function connectLock(named: NamedParts, servers: LockServers): Promise<ComposedLock> {
  const parts: LockParts = { ...soundParts, ...named };
  const targets = targetsOf(servers);
  const connections = await connectServers(targets, parts.timeouts);
  const lock = new ComposedLock(parts, connections, await parts.waiting(targets));
  try {
    await parts.prepare(connections);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
  return lock;
}

type Extend = NonNullable<Protocol["extend"]>;
type HandOver = NonNullable<Protocol["handOver"]>;
type LostListener = (lost: { readonly key: string; readonly owner: string }) => void;

/** One client of a lock made of parts. */
export class ComposedLock implements LockClient {
  readonly #parts: LockParts;
  readonly #servers: readonly Connection[];
  readonly #waiter: Waiter;
  readonly #quorum: number;
  readonly #ownHolds: OwnHolds;
  readonly #lostListeners = new Set<LostListener>();
  /** Absent where the protocol cannot extend a lease. */
  readonly extend?: NonNullable<LockClient["extend"]>;
  /** Passes the lock to another holder in this process without freeing it. Absent where the protocol cannot. */
  readonly handOver?: (grant: Grant, ttlMs: number) => Promise<Completion<Grant>>;

  constructor(parts: LockParts, servers: readonly Connection[], waiter: Waiter) {
    this.#parts = parts;
    this.#servers = servers;
    this.#waiter = waiter;
    this.#quorum = parts.quorum(servers.length);
    this.#ownHolds = parts.ownHolds();
    const extend = parts.protocol.extend?.bind(parts.protocol);
    if (extend !== undefined) this.extend = (grant, ttlMs, options) => this.#extend(extend, grant, ttlMs, options);
    const handOver = parts.protocol.handOver?.bind(parts.protocol);
    if (handOver !== undefined) this.handOver = (grant, ttlMs) => this.#handOver(handOver, grant, ttlMs);
  }

  acquire(key: string, { ttlMs, waitMs, signal, ...sharing }: AcquireOptions): Promise<Completion<Grant>> {
    return this.#waiter.wait(key, { waitMs, signal }, () => this.#tryOnce(key, ttlMs, sharing));
  }

  /**
   * `released: true` when the owner had the lock and gave up one level of the hold, usually the only one. If only a
   * minority of the servers still had it, releasing itself may have made it a minority: nobody knows.
   */
  async release({ key, owner, alsoKeys }: Grant): Promise<Completion<{ readonly released: boolean }>> {
    this.#ownHolds.left(key, owner);
    const request = { key, owner, sharing: { alsoKeys } };
    const answers = await this.#ask((server) => this.#parts.protocol.release(server, request));
    const decision = decide(answers, this.#quorum);
    if (decision.type === "ok" && !decision.value) {
      this.#ownHolds.lost(key, owner);
      if (tally(answers).yes > 0) return { type: "info", reason: "only a minority of the servers still had it" };
    }
    return map(decision, (released) => ({ released }));
  }

  onLost(listener: LostListener): void {
    this.#lostListeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#servers, this.#waiter].map((part) => part[Symbol.asyncDispose]()));
  }

  async #extend(
    extend: Extend,
    grant: Grant,
    ttlMs: number,
    { atLeast = false }: ExtendOptions = {},
  ): Promise<Completion<Grant>> {
    const lease = this.#startLease(ttlMs);
    const { key, owner, alsoKeys } = grant;
    const request: ExtendRequest = { key, owner, ttlMs: lease.ttlMs, atLeast, sharing: { alsoKeys } };
    const answers = await this.#ask((server) => extend(server, request));
    const decision = decide(answers, this.#quorum);
    if (decision.type !== "ok") return decision;
    if (!decision.value) return this.#tellLost(key, owner);
    const validity = this.#validity(lease);
    if (validity === "over") return { type: "info", reason: "extended too late to be of use" };
    return { type: "ok", value: { ...grant, ...validity } };
  }

  async #handOver(handOver: HandOver, { key, owner }: Grant, ttlMs: number): Promise<Completion<Grant>> {
    const next = this.#ownHolds.next(key);
    const lease = this.#startLease(ttlMs);
    const present = { key, owner, ttlMs: lease.ttlMs, inner: false };
    const answers = await this.#ask((server) => handOver(server, present, next.owner));
    const decision = decide(answers.map(wasGranted), this.#quorum);
    if (decision.type === "info") {
      // If it was passed on, the lock belongs to nobody yet: only this code knows the next owner value.
      await this.#ask((server) => this.#parts.protocol.release(server, { key, owner: next.owner }));
    }
    if (decision.type !== "ok") return decision;
    if (!decision.value) return this.#tellLost(key, owner);
    const validity = this.#validity(lease);
    if (validity === "over") return { type: "info", reason: "handed over too late to be of use" };
    return { type: "ok", value: this.#grant(key, next, answers, validity) };
  }

  async #tryOnce(key: string, ttlMs: number, sharing: Sharing): Promise<TryOutcome<Grant>> {
    const attempt = this.#ownHolds.next(key);
    const lease = this.#startLease(ttlMs);
    const request = { key, ttlMs: lease.ttlMs, ...attempt, sharing };
    const answers = await this.#ask((server) => this.#parts.protocol.acquire(server, request));
    const decision = decide(answers.map(wasGranted), this.#quorum);
    if (decision.type !== "ok") return this.#giveUp(request, answers);
    if (!decision.value && attempt.inner) return this.#tellLost(key, attempt.owner);
    const validity = this.#validity(lease);
    if (!decision.value || validity === "over") return this.#giveUp(request, answers);
    this.#ownHolds.entered(key, attempt.owner);
    const { alsoKeys } = sharing;
    const grant = this.#grant(key, attempt, answers, validity);
    return { type: "ok", value: alsoKeys === undefined ? grant : { ...grant, alsoKeys } };
  }

  #grant(key: string, { owner }: Try, answers: readonly Completion<AcquireAnswer>[], validity: object): Grant {
    const fence = this.#parts.fence(answers);
    return { key, owner, fence, ...validity };
  }

  /** Undoes what a failed try may have set, and says how certain it is that nothing is left. */
  async #giveUp(request: AcquireRequest, answers: readonly Completion<AcquireAnswer>[]): Promise<TryOutcome<never>> {
    // A re-entry that may not have counted must not be counted down: that would free the outer hold.
    const targets = request.inner ? [] : this.#parts.undoOn(answers);
    const undone = new Map<number, Completion<boolean>>();
    await Promise.all(
      targets.map(async (index) => {
        const server = this.#servers[index];
        if (server !== undefined) undone.set(index, await this.#parts.protocol.release(server, request));
      }),
    );
    const left = answers.filter((answer, index) => mayBeLeft(answer, undone.get(index))).length;
    const { no, reason } = tally(answers.map(wasGranted));
    if (left >= this.#quorum) {
      return { type: "info", reason: reason === "" ? "a failed try could not be undone" : reason };
    }
    if (no > answers.length - this.#quorum) {
      return { type: "fail", kind: "contended", reason: "held by another", ...heldFor(answers) };
    }
    return { type: "fail", kind: "error", reason: reason === "" ? "granted too late to be of use" : reason };
  }

  #startLease(ttlMs: number): Lease {
    return startLease(ttlMs, this.#parts.drift, this.#parts.now);
  }

  #validity(lease: Lease): Pick<Grant, "validForMs" | "validFromMs"> | "over" {
    const validFromMs = performance.now();
    const validForMs = this.#parts.validity(lease);
    if (validForMs === undefined) return {};
    return this.#parts.worthHaving(validForMs) ? { validForMs, validFromMs } : "over";
  }

  #ask<T>(question: (server: Connection) => Promise<Completion<T>>): Promise<Completion<T>[]> {
    return Promise.all(this.#servers.map(question));
  }

  #tellLost(key: string, owner: string): Completion<never> {
    this.#ownHolds.lost(key, owner);
    for (const listener of this.#lostListeners) listener({ key, owner });
    return { type: "fail", kind: "error", reason: "the lease is lost: the lock is gone or another's" };
  }
}

/** On one server: how long the other holder has the lock. With several servers, no single one speaks for the lock. */
function heldFor(answers: readonly Completion<AcquireAnswer>[]): { readonly heldForMs?: number } {
  const [answer, ...others] = answers;
  if (others.length > 0 || answer?.type !== "ok" || answer.value.granted) return {};
  const { heldForMs } = answer.value;
  return heldForMs === undefined ? {} : { heldForMs };
}

function wasGranted(answer: Completion<AcquireAnswer>): Completion<boolean> {
  return map(answer, ({ granted }) => granted);
}
