import type { LockOperation } from "../linearizability/lock-models.ts";
import type { RandomHistoryOptions } from "./random-locks.ts";

/** Every combination of what makes random histories hard to judge. Each is generated equally often. */
export const RANDOM_KINDS: readonly RandomHistoryOptions[] = [false, true].flatMap((fixedOwners) =>
  [false, true].flatMap((contention) =>
    [false, true].flatMap((unknown) =>
      [0, 10, 30].flatMap((lies) =>
        [false, true].map((reentrant) => ({
          processes: 4,
          maxMoves: 11,
          fixedOwners,
          contention,
          unknown,
          lies,
          reentrant,
        })),
      ),
    ),
  ),
);

/** Operations of one owner that overlap in time are for the general search alone. */
export function isRegular(operations: readonly LockOperation[]): boolean {
  const required = operations.filter(({ required, owner }) => required && owner !== undefined);
  return required.every((one) =>
    required.every(
      (other) =>
        one === other || one.owner !== other.owner || one.completed < other.invoked || other.completed < one.invoked,
    ),
  );
}
