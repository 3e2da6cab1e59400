import {
  commonCounts,
  furthest,
  isBefore,
  pointAfter,
  withoutCommon,
  type Configuration,
  type Point,
} from "./configuration.ts";
import { expire, type LockOperation } from "./lock-models.ts";
import { acquiresIn, type PossibleOperations } from "./possible-operations.ts";

/**
 * After the last operation: the configuration that got furthest, if somebody was seen to hold and nobody can have held;
 * undefined if one of them explains everything.
 */
export function unexplainedEnd(
  configurations: readonly Configuration[],
  possible: PossibleOperations,
): Configuration | undefined {
  if (configurations.some(({ state, owed }) => state.holder !== undefined || owed === undefined)) return undefined;
  const settled = configurations.some((configuration) =>
    possible
      .acquires(configuration, Infinity)
      .some((acquire) => isBefore(pointAfter(configuration.point, acquire), configuration.owed)),
  );
  return settled ? undefined : furthest(configurations);
}

/**
 * Whether each configuration may have used one acquire of unknown outcome twice: as a hold of its own, and as an entry of
 * another, or as entries of two. The configurations count what they use by kind, and do not know which belong together.
 */
export function maySpendTwice(configurations: readonly Configuration[], possible: PossibleOperations): boolean {
  const before = possible.settledAcquires;
  return configurations.every(({ used, usedAcquires }) => before + acquiresIn(used) + acquiresIn(usedAcquires) > 1);
}

/** Marks the possible operations that all configurations used as used for good, and removes them from the counts. */
export function settled(configurations: readonly Configuration[], possible: PossibleOperations): Configuration[] {
  const acquires = commonCounts(configurations.map(({ usedAcquires }) => usedAcquires));
  const others = commonCounts(configurations.map(({ used }) => used));
  if (acquires.size === 0 && others.size === 0) return [...configurations];
  possible.settle(acquires);
  possible.settle(others);
  return configurations.map((configuration) => ({
    ...configuration,
    usedAcquires: withoutCommon(configuration.usedAcquires, acquires),
    used: withoutCommon(configuration.used, others),
  }));
}

/** The configuration in which an operation that took effect early is completed now; undefined if it did not. */
export function completedEarly(configuration: Configuration, operation: LockOperation): Configuration | undefined {
  if (!configuration.early.includes(operation)) return undefined;
  return { ...configuration, early: configuration.early.filter((other) => other !== operation) };
}

/** The lock after its hold expired before the completion of `next`, if that can be. */
export function expiredBefore(held: Configuration, next: LockOperation): Configuration | undefined {
  const time = Math.max(held.point.time, held.state.expirableFrom);
  const state = time <= next.completedTime ? expire(held.state, time) : undefined;
  if (state === undefined) return undefined;
  const point: Point = { index: held.point.index, time };
  return { ...held, state, grant: undefined, point, heldUntil: next.completed, owed: undefined };
}
