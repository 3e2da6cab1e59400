import type { Connection } from "./connection.ts";
import type { Supports } from "../../harness/core/sharing.ts";
import { TIMEOUTS, type Timeouts } from "./connection-options.ts";
import type { Completion } from "../../harness/core/lock-driver.ts";
import { type Drift, type Lease, noDrift } from "./lease.ts";
import { freshOwners, type OwnHolds } from "./own-holds.ts";
import type { Protocol, AcquireAnswer } from "./protocol.ts";
import { majority } from "./quorum.ts";
import { spin, type WaitStrategy } from "./waiting.ts";

/**
 * The parts of a lock. A rung names what it adds to `soundParts`, a flawed specimen the one part that it gets wrong.
 */
export interface LockParts {
  /** The requests to each server. */
  readonly protocol: Protocol;
  /** What the protocol can do beyond a lock of one holder. */
  readonly supports?: Supports;
  /** How many of `nodes` servers must agree. A single server is a Redlock of one. */
  readonly quorum: (nodes: number) => number;
  /** The connection's time-outs. */
  readonly timeouts: Timeouts;
  /**
   * Work of the client between connecting and its first operation.
   * @throws when the lock cannot be used
   */
  readonly prepare: (servers: readonly Connection[]) => Promise<void>;
  /** How to wait for a held lock. */
  readonly waiting: WaitStrategy;
  /** Makes the source of owner values for each client. */
  readonly ownHolds: () => OwnHolds;
  /** The clock that leases are measured by, in milliseconds. */
  readonly now: () => number;
  readonly drift: Drift;
  /** How long the holder is told that it may trust a lease. Undefined for a lock without leases. */
  readonly validity: (lease: Lease) => number | undefined;
  /** Whether a lease with this much validity left may be handed out. */
  readonly worthHaving: (validForMs: number) => boolean;
  /** The grant's fencing token, from the servers' answers. */
  readonly fence: (answers: readonly Completion<AcquireAnswer>[]) => number | undefined;
  /** The servers on which to undo a failed try, by their indices. */
  readonly undoOn: (answers: readonly Completion<AcquireAnswer>[]) => readonly number[];
}

/** The parts of `single`, which most other locks share. */
export const soundParts: Omit<LockParts, "protocol"> = {
  quorum: majority,
  timeouts: TIMEOUTS,
  prepare: async () => {},
  waiting: spin({ pauseMs: 20, jitterMs: 40 }),
  ownHolds: freshOwners,
  // The monotonic clock: the wall clock may be stepped.
  now: () => performance.now(),
  drift: noDrift,
  validity: (lease) => lease.remainingMs(),
  worthHaving: (validForMs) => validForMs > 0,
  // The counters of several servers are independent: no function of them only grows.
  fence: (answers) => (answers.length === 1 ? fenceOf(answers[0]) : undefined),
  // Undo on all servers, also where the try seemed to fail: its reply may have been lost although it took effect. Where
  // every server answered that another client holds or that it did nothing, there is nothing to undo.
  undoOn: (answers) => (answers.some((answer) => mayBeLeft(answer, undefined)) ? answers.map((_, index) => index) : []),
};

/** The fencing token of one server's answer. */
export function fenceOf(answer: Completion<AcquireAnswer> | undefined): number | undefined {
  return answer?.type === "ok" && answer.value.granted ? answer.value.fence : undefined;
}

/**
 * Whether a try may still hold the lock on a server after it was undone there. If its reply is missing, the request may
 * still arrive, even after the undo: then the lock is certainly gone only if the undo found and deleted it.
 */
export function mayBeLeft(answer: Completion<AcquireAnswer>, undoing: Completion<boolean> | undefined): boolean {
  if (answer.type === "fail") return false;
  if (answer.type === "ok") return answer.value.granted && undoing?.type !== "ok";
  return !(undoing?.type === "ok" && undoing.value);
}
