import { nameOfShare, type Share } from "../../core/sharing.ts";
import { NANOSECONDS_PER_MS } from "../../history/history.ts";

/** The sequential specifications of P8, from the loosest to the strictest reading of what a lock is. */
export const LOCK_MODELS = [
  "mutex",
  "owner-aware-mutex",
  "reentrant-mutex",
  "fenced-mutex",
  "reentrant-fenced-mutex",
] as const;
export type LockModelName = (typeof LOCK_MODELS)[number];

/** What a model requires. */
export interface LockModel {
  readonly name: LockModelName;
  /** A release or an extension needs the owner's own hold. */
  readonly ownerAware: boolean;
  /** An owner may acquire again while it holds, up to `maxDepth` times in all. */
  readonly maxDepth: number;
  /** A new hold needs a fencing token above the last; a re-entry the same as its hold. */
  readonly fenced: boolean;
  /** Whether the lock was free when the history began; false if somebody may have held it already. */
  readonly beganFree: boolean;
}

const MAX_DEPTH = 1_000_000;

const MODELS: Readonly<Record<LockModelName, Omit<LockModel, "beganFree">>> = {
  mutex: { name: "mutex", ownerAware: false, maxDepth: 1, fenced: false },
  "owner-aware-mutex": { name: "owner-aware-mutex", ownerAware: true, maxDepth: 1, fenced: false },
  "reentrant-mutex": { name: "reentrant-mutex", ownerAware: true, maxDepth: MAX_DEPTH, fenced: false },
  "fenced-mutex": { name: "fenced-mutex", ownerAware: true, maxDepth: 1, fenced: true },
  "reentrant-fenced-mutex": { name: "reentrant-fenced-mutex", ownerAware: true, maxDepth: MAX_DEPTH, fenced: true },
};

export function lockModel(
  name: LockModelName,
  { maxDepth, beganFree = true }: { readonly maxDepth?: number; readonly beganFree?: boolean } = {},
): LockModel {
  const model = { ...MODELS[name], beganFree };
  return model.maxDepth === 1 || maxDepth === undefined ? model : { ...model, maxDepth };
}

/**
 * One operation on a lock, as the models see it. Positions are event indices, times nanoseconds since the start.
 *
 * - `acquire` was granted, or (not `required`) may have been.
 * - `release` found its owner's hold and ended it, or (not `required`) may have.
 * - `miss` is a release that found its owner not holding.
 * - `lose` may have ended its owner's hold, with all its entries; it is never `required`.
 * - `extend` prolonged its owner's hold, or (not `required`) may have.
 * - `reenter` is an acquire that may have entered this owner's hold again, or have begun it; it is never `required`.
 * - `contended` is an acquire that saw somebody hold.
 */
export interface LockOperation {
  readonly kind: "acquire" | "release" | "lose" | "miss" | "extend" | "reenter" | "contended";
  /** It took effect between invocation and completion. Otherwise it may take effect at any time after, or never. */
  readonly required: boolean;
  readonly process: number;
  /** Absent for contended tries, and for acquires of unknown outcome: nobody was told their owner value. */
  readonly owner: string | undefined;
  /** The owner value that the recording has, if that is another; of an acquire of unknown outcome, if no more than its time is unknown. */
  readonly stated?: string | undefined;
  /** This release or extension refers to no known grant: it may refer to an acquire of unknown outcome. */
  readonly stranger: boolean;
  readonly fence: number | undefined;
  readonly invoked: number;
  readonly invokedTime: number;
  /** Infinity unless `required`. */
  readonly completed: number;
  readonly completedTime: number;
  /** For acquire, reenter and extend: how long after it took effect the lease may expire at the earliest, in nanoseconds. */
  readonly leaseNs: number;
  /**
   * Until when the lease is valid, if the lock said so, in nanoseconds since the start. From then on it may expire too.
   */
  readonly validUntil?: number | undefined;
  /** For acquire and reenter: how the hold shares its key. If absent, it excludes every other. */
  readonly share?: Share | undefined;
  /** For acquire and reenter: whether its owner, if it holds already, may only renew its lease by it. */
  readonly mayRenew?: boolean | undefined;
  /**
   * For lose, and for a release that is not `required`: the event by which it took effect, if it did. If absent, a later hold of its
   * owner may be meant.
   */
  readonly until?: number | undefined;
  /** For reenter: the acquire of unknown outcome that may have been it. It differs in nothing but its kind and owner. */
  readonly acquire?: LockOperation | undefined;
}

/** How much faster than the true clock a server's may run (Redlock's own allowance: 1 % and 2 ms). */
const DRIFT = 0.01;
const DRIFT_MS = 2;

/** How long after it was granted a lease of `ttlMs` may expire at the earliest: T(1 - eps), in nanoseconds. */
export function earliestExpiry(ttlMs: number): number {
  return Math.max(0, ttlMs * (1 - DRIFT) - DRIFT_MS) * NANOSECONDS_PER_MS;
}

/** From when on the lease that `operation` sets may expire, if it takes effect at `time`: no more was promised. */
export function expirableFrom({ leaseNs, validUntil = Infinity }: LockOperation, time: number): number {
  return Math.min(time + leaseNs, validUntil);
}

/** Acquires of one kind do the same to a hold that they enter again. */
export function kindOfAcquire({ leaseNs, share, mayRenew = false }: LockOperation): string {
  return `${leaseNs} ${nameOfShare(share)} ${mayRenew}`;
}

/** The owner of an acquire of unknown outcome: nobody was told its owner value, so only a stranger can use its hold. */
export const ANYBODY = Symbol("anybody");

/** A lock between two operations. */
export interface LockState {
  /** Undefined when it is free. */
  readonly holder: string | typeof ANYBODY | undefined;
  readonly depth: number;
  /** Whether its owner may have entered it more often than `depth` says, before the history began. */
  readonly maybeDeeper: boolean;
  /** How many of the entries may be none, because the owner may have only renewed its lease. */
  readonly renewals: number;
  /** The fencing token of the hold, if it has one. */
  readonly holdFence: number | undefined;
  /** The largest fencing token of all holds so far. */
  readonly lastFence: number;
  /** When the lease may expire at the earliest. */
  readonly expirableFrom: number;
}

export const FREE: LockState = {
  holder: undefined,
  depth: 0,
  maybeDeeper: false,
  renewals: 0,
  holdFence: undefined,
  lastFence: -Infinity,
  expirableFrom: 0,
};

/**
 * The states in which the lock may be when the history begins. If somebody may hold it, it is unknown who (the first
 * stranger that uses the hold), how often it was entered, until when its lease lasts, and what its fencing token is.
 */
export function initialStates({ beganFree, maxDepth }: LockModel): readonly LockState[] {
  if (beganFree) return [FREE];
  return [FREE, { ...FREE, holder: ANYBODY, depth: 1, maybeDeeper: maxDepth > 1, expirableFrom: -Infinity }];
}

/** The state after `operation` took effect at `time`, or undefined where the model does not allow it there. */
export function apply(
  model: LockModel,
  state: LockState,
  operation: LockOperation,
  time: number,
): LockState | undefined {
  switch (operation.kind) {
    case "acquire":
    case "reenter":
      return state.holder === undefined
        ? acquireFree(model, state, operation, time)
        : reenter(model, state, operation, time);
    case "release":
      return isHeldBy(model, state, operation) ? leave(model, state, operation, time) : undefined;
    case "lose":
      return isHeldBy(model, state, operation) ? freed(state) : undefined;
    case "miss":
      return !model.ownerAware || state.holder !== operation.owner ? state : undefined;
    case "extend":
      if (!isHeldBy(model, state, operation)) return undefined;
      return { ...known(model, state, operation), expirableFrom: expirableFrom(operation, time) };
    case "contended":
      return state.holder === undefined ? undefined : state;
  }
}

/** The free lock after its lease expired at `time`, or undefined if it may not expire yet. */
export function expire(state: LockState, time: number): LockState | undefined {
  return state.holder === undefined || time < state.expirableFrom ? undefined : freed(state);
}

/** Whether a release or an extension may be the holder's own. */
function isHeldBy(model: LockModel, state: LockState, { owner, stranger }: LockOperation): boolean {
  if (state.holder === undefined) return false;
  return !model.ownerAware || (state.holder === ANYBODY ? stranger : state.holder === owner);
}

function acquireFree(
  model: LockModel,
  state: LockState,
  operation: LockOperation,
  time: number,
): LockState | undefined {
  const { owner, fence } = operation;
  if (model.fenced && fence !== undefined && fence <= state.lastFence) return undefined;
  return {
    holder: owner ?? ANYBODY,
    depth: 1,
    maybeDeeper: false,
    renewals: 0,
    holdFence: fence,
    lastFence: Math.max(fence ?? -Infinity, state.lastFence),
    expirableFrom: expirableFrom(operation, time),
  };
}

function reenter(model: LockModel, state: LockState, operation: LockOperation, time: number): LockState | undefined {
  const { owner, fence, mayRenew = false } = operation;
  if (state.depth >= model.maxDepth || owner === undefined) return undefined;
  if (state.maybeDeeper && state.holder === ANYBODY) return reenter(model, owned(state, operation), operation, time);
  if (state.holder !== owner) return undefined;
  const renewals = state.renewals + (mayRenew ? 1 : 0);
  const entered = { ...state, depth: state.depth + 1, renewals, expirableFrom: expirableFrom(operation, time) };
  if (!model.fenced || fence === undefined || fence === state.holdFence) return entered;
  if (state.holdFence !== undefined && !mayRenew) return undefined;
  // Nobody was told the fencing token of the hold, but it is larger than those of all holds before it.
  return fence > state.lastFence ? { ...entered, holdFence: fence, lastFence: fence } : undefined;
}

function leave(model: LockModel, state: LockState, operation: LockOperation, time: number): LockState {
  // It is unknown whether this was the last of its entries: the lock may be free from now on.
  if (state.depth === 1 && state.maybeDeeper) {
    return { ...known(model, state, operation), expirableFrom: Math.min(state.expirableFrom, time) };
  }
  if (state.depth === 1) return freed(state);
  const { renewals, expirableFrom: from } = state;
  const left = { ...known(model, state, operation), depth: state.depth - 1 };
  // If all entries but this one were renewals, the lock is free.
  if (renewals < left.depth) return left;
  return { ...left, renewals: left.depth - 1, expirableFrom: Math.min(from, time) };
}

/** The hold from before the history belongs to the owner that enters it again, and has the fencing token of that grant. */
function owned(state: LockState, { owner, fence }: LockOperation): LockState {
  return { ...state, holder: owner, holdFence: fence, lastFence: Math.max(fence ?? -Infinity, state.lastFence) };
}

/** The first stranger that uses the hold of an unknown owner is that owner. */
function known(model: LockModel, state: LockState, { owner }: LockOperation): LockState {
  return model.ownerAware && state.holder === ANYBODY ? { ...state, holder: owner } : state;
}

function freed(state: LockState): LockState {
  return { ...FREE, lastFence: state.lastFence };
}
