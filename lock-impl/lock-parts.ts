import type { Connection } from "./connection.ts";
import { PATIENCE, type Patience } from "./connection-options.ts";
import type { Completion } from "./driver.ts";
import { type Drift, type Lease, noDrift } from "./lease.ts";
import { freshOwners, type OwnHolds } from "./own-holds.ts";
import type { Protocol, Taking } from "./protocol.ts";
import { majority } from "./quorum.ts";
import { spin, type WaitStrategy } from "./waiting.ts";

/**
 * What a lock is made of. A rung names what it adds to `soundParts`, a flawed specimen the one part that it gets wrong.
 */
export interface LockParts {
  /** What is said to each server. */
  readonly protocol: Protocol;
  /** How many of `nodes` servers must agree. A single server is a Redlock of one. */
  readonly quorum: (nodes: number) => number;
  /** How long a connection waits for what. */
  readonly patience: Patience;
  /** What the client still does between connecting and its first operation. @throws when the lock cannot be used */
  readonly prepare: (servers: readonly Connection[]) => Promise<void>;
  /** How to wait for a held lock. */
  readonly waiting: WaitStrategy;
  /** Makes, for each client, the source of its owner values. */
  readonly ownHolds: () => OwnHolds;
  /** The clock that leases are measured by, in milliseconds. */
  readonly now: () => number;
  readonly drift: Drift;
  /** For how long the holder is told that it may trust a lease. Undefined for a lock without leases. */
  readonly validity: (lease: Lease) => number | undefined;
  /** Whether a lease with so much validity left may be handed out. */
  readonly worthHaving: (validForMs: number) => boolean;
  /** The grant's fencing token, from what the servers answered. */
  readonly fence: (answers: readonly Completion<Taking>[]) => number | undefined;
  /** Which servers to undo a failed try on: their indices. */
  readonly undoOn: (answers: readonly Completion<Taking>[]) => readonly number[];
}

/** The parts of `single`, which most other locks share. */
export const soundParts: Omit<LockParts, "protocol"> = {
  quorum: majority,
  patience: PATIENCE,
  prepare: async () => {},
  waiting: spin({ pauseMs: 20, jitterMs: 40 }),
  ownHolds: freshOwners,
  // The monotonic clock: the wall clock may be stepped.
  now: () => performance.now(),
  drift: noDrift,
  validity: (lease) => lease.remainingMs(),
  worthHaving: (validForMs) => validForMs > 0,
  // Counters of several servers know nothing of each other: no function of them only grows.
  fence: (answers) => (answers.length === 1 ? fenceOf(answers[0]) : undefined),
  // On all of them, also where it seemed not to succeed: a reply may have been lost, the lock not. Where every server
  // answered that another holds or that it did nothing, there is nothing to undo.
  undoOn: (answers) => (answers.some((answer) => mayBeLeft(answer, undefined)) ? answers.map((_, index) => index) : []),
};

/** The fencing token of one server's answer. */
export function fenceOf(answer: Completion<Taking> | undefined): number | undefined {
  return answer?.type === "ok" && answer.value.taken ? answer.value.fence : undefined;
}

/**
 * Whether a try may still hold the lock on a server after it was undone there. If its reply is missing, the request may
 * yet arrive, even after the undoing: then only a lock that was found and deleted is certainly gone.
 */
export function mayBeLeft(taking: Completion<Taking>, undoing: Completion<boolean> | undefined): boolean {
  if (taking.type === "fail") return false;
  if (taking.type === "ok") return taking.value.taken && undoing?.type !== "ok";
  return !(undoing?.type === "ok" && undoing.value);
}
