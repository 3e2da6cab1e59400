import { apply, expire, initialStates, type LockModel, type LockOperation, type LockState } from "../lock-models.ts";

/** A state, and the earliest time at which the last operation can have taken effect in it. */
export interface SpecifiedStep<S> {
  readonly state: S;
  readonly time: number;
}

/** What the general search needs to know of a lock: how its state changes, one operation at a time. */
export interface Specification<S> {
  /** The states in which the lock may be when the history begins. */
  readonly initial: readonly S[];
  /**
   * All states in which the lock may be after `operation`, which comes next after `time` and takes effect by `deadline`,
   * with the leases that may expire before it.
   */
  after(state: S, operation: LockOperation, time: number, deadline: number): SpecifiedStep<S>[];
  /** Two states with the same name allow the same. */
  name(state: S): string;
}

/** A lock that one owner holds at a time. */
export function specificationOf(model: LockModel): Specification<LockState> {
  return {
    initial: initialStates(model),
    after(state, operation, time, deadline) {
      const steps: SpecifiedStep<LockState>[] = [];
      const at = Math.max(time, operation.invokedTime);
      const direct = at <= deadline ? apply(model, state, operation, at) : undefined;
      if (direct !== undefined) steps.push({ state: direct, time: at });
      const expiredAt = Math.max(time, state.expirableFrom);
      const free = expire(state, expiredAt);
      const after = Math.max(expiredAt, operation.invokedTime);
      if (free === undefined || after > deadline) return steps;
      const late = apply(model, free, operation, after);
      if (late !== undefined) steps.push({ state: late, time: after });
      return steps;
    },
    name({ holder, depth, maybeDeeper, renewals, holdFence, lastFence, expirableFrom }) {
      return `${String(holder)}|${depth}|${maybeDeeper}|${renewals}|${holdFence}|${lastFence}|${expirableFrom}`;
    },
  };
}
