import { KeyOperations } from "../linearizability/key-operations.ts";
import { KeptRoom } from "../linearizability/search/kept-operations.ts";
import type { Follower } from "../linearizability/follower.ts";
import { Linearization } from "../linearizability/linearization.ts";
import { lockModel, type LockModel, type LockModelName, type LockOperation } from "../linearizability/lock-models.ts";
import { OwnerlessLinearization } from "../linearizability/ownerless-linearization.ts";
import { StepBudget } from "../linearizability/step-budget.ts";
import type { SearchOutcome } from "../linearizability/search/wgl.ts";
import { eventsOf, type OperationEvent } from "./operation-events.ts";

/**
 * Runs the incremental algorithm over finished operations, in the order in which the checker would. It learns each
 * operation in time, or (`lookAhead`) all at once: the outcome must be the same.
 */
export function followLinearization(
  operations: readonly LockOperation[],
  model: LockModel,
  options: { readonly lookAhead: boolean } = { lookAhead: false },
): SearchOutcome {
  const linearization = followerOf(model);
  const required = operations
    .filter((operation) => operation.required)
    .toSorted((left, right) => left.completed - right.completed);
  const announced = operations.toSorted((left, right) => left.invoked - right.invoked);
  let next = 0;
  for (const operation of required) {
    for (; next < announced.length; next += 1) {
      if (!options.lookAhead && announced[next]!.invoked >= operation.completed) break;
      tell(linearization, announced[next]!);
    }
    if (linearization.push(operation) !== undefined) return linearization.truncated ? "unknown" : "not-linearizable";
  }
  for (; next < announced.length; next += 1) tell(linearization, announced[next]!);
  if (linearization.finish() === undefined) return "linearizable";
  return linearization.truncated ? "unknown" : "not-linearizable";
}

/** No operations of one owner overlap here. */
function tell(linearization: Follower, operation: LockOperation): void {
  linearization.announce(operation);
  if (operation.required) linearization.confirm(operation);
}

function followerOf(model: LockModel): Follower {
  const budget = new StepBudget(Infinity);
  return model.ownerAware ? new Linearization(model, budget) : new OwnerlessLinearization(model, budget);
}

/**
 * Runs the checker over the events of finished operations, as it reads them from a history: it knows an operation when
 * its completion comes, and one that stays open at the end. Its operations have the leases that those events imply, so
 * it also gets a general search of its own to compare with.
 */
export function followEvents(
  operations: readonly LockOperation[],
  model: LockModelName,
  observeContention = true,
  onEvent: (following: KeyOperations, event: OperationEvent) => void = () => {},
): KeyOperations {
  const following = new KeyOperations(lockModel(model), observeContention, new KeptRoom(Infinity));
  for (const event of eventsOf(operations)) {
    if ("invocation" in event) following.invoke(event.invocation, event.stranger);
    else following.complete(event.completion);
    onEvent(following, event);
  }
  following.finish();
  return following;
}
