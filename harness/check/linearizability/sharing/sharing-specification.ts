import type { LockOperation } from "../lock-models.ts";
import type { Specification, SpecifiedStep } from "../search/specification.ts";
import { SharedLock, type SharedHold, type SharingModel } from "./sharing-model.ts";

/** Among how many permits whose leases may be over those are chosen that are. Beyond it, the search is not complete. */
const MOST_EXPIRED = 12;

/**
 * A lock that several owners may hold at a time, for the general search. `incomplete` is called where more leases may have
 * expired before one operation than are tried.
 */
export function sharingSpecification(model: SharingModel, incomplete: () => void): Specification<SharedLock> {
  return {
    initial: [new SharedLock(model)],
    after(state, operation, time, deadline) {
      const steps: SpecifiedStep<SharedLock>[] = [];
      for (const before of expiries({ state, time }, operation, deadline, incomplete)) {
        const at = Math.max(before.time, operation.invokedTime);
        if (at > deadline) continue;
        for (const after of effects(before.state, operation, at)) steps.push({ state: after, time: at });
      }
      return steps;
    },
    name: (state) => state.name(),
  };
}

/**
 * The lock with the leases expired that this operation needs to be over. What it does not need may as well expire later:
 * a lease that may expire may do so at any time from then on.
 */
function expiries(
  before: SpecifiedStep<SharedLock>,
  operation: LockOperation,
  deadline: number,
  incomplete: () => void,
): readonly SpecifiedStep<SharedLock>[] {
  const { kind, owner } = operation;
  if (kind !== "acquire" && kind !== "reenter" && kind !== "miss") return [before];
  const own = before.state.hold(owner);
  const found = own !== undefined && own.expirableFrom <= deadline ? [before, expired(before, own)] : [before];
  if (kind === "miss") return found;
  return found.flatMap((step) =>
    step.state.hold(owner) !== undefined || step.state.hasRoom(operation)
      ? [step]
      : withRoom(step, operation, deadline, incomplete),
  );
}

/** The lock with each smallest set of leases expired that leaves room. */
function withRoom(
  step: SpecifiedStep<SharedLock>,
  operation: LockOperation,
  deadline: number,
  incomplete: () => void,
): readonly SpecifiedStep<SharedLock>[] {
  const inTheWay = step.state.inTheWayOf(operation).filter(({ expirableFrom }) => expirableFrom <= deadline);
  if (inTheWay.length > MOST_EXPIRED) incomplete();
  const tried = inTheWay.slice(0, MOST_EXPIRED);
  const found: SpecifiedStep<SharedLock>[] = [];
  const choose = (from: SpecifiedStep<SharedLock>, next: number): void => {
    if (from.state.hasRoom(operation)) {
      found.push(from);
      return;
    }
    const rest = tried.slice(next);
    // Without this, a writer would try each set of readers, although all of them must be over.
    if (!rest.reduce(expired, from).state.hasRoom(operation)) return;
    for (const [place, hold] of rest.entries()) choose(expired(from, hold), next + place + 1);
  };
  choose(step, 0);
  return found;
}

function expired({ state, time }: SpecifiedStep<SharedLock>, hold: SharedHold): SpecifiedStep<SharedLock> {
  const after = state.clone();
  after.end(hold);
  return { state: after, time: Math.max(time, hold.expirableFrom) };
}

/** All ways in which the operation may take effect: on its owner's own hold, or on one whose owner nobody was told. */
function effects(state: SharedLock, operation: LockOperation, at: number): SharedLock[] {
  const direct = state.clone();
  const found = direct.apply(operation, at) ? [direct] : [];
  for (const hold of state.changedBy(operation)) {
    const after = state.clone();
    after.end(hold);
    if (after.apply(operation, at)) found.push(after);
  }
  if (state.unknownOwners === 0 || !operation.stranger) return found;
  for (const hold of state.holds) {
    if (hold.owner !== undefined) continue;
    const after = state.clone();
    if (after.applyTo(hold, operation, at)) found.push(after);
  }
  return found;
}
