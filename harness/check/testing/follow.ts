import { KeyOperations } from "../key-operations.ts";
import { Linearization } from "../linearization.ts";
import { lockModel, type LockModel, type LockModelName, type LockOperation } from "../lock-models.ts";
import type { SearchOutcome } from "../wgl.ts";
import { eventsOf } from "./operation-events.ts";

/**
 * Runs the incremental algorithm over finished operations, in the order in which the checker would. It is told of an
 * operation in time, or (`lookAhead`) all of them at once: the outcome must be the same.
 */
export function followLinearization(
  operations: readonly LockOperation[],
  model: LockModel,
  options: { readonly lookAhead: boolean } = { lookAhead: false },
): SearchOutcome {
  const linearization = new Linearization(model);
  const required = operations
    .filter((operation) => operation.required)
    .toSorted((left, right) => left.completed - right.completed);
  const announced = operations.toSorted((left, right) => left.invoked - right.invoked);
  let next = 0;
  for (const operation of required) {
    for (; next < announced.length; next += 1) {
      if (!options.lookAhead && announced[next]!.invoked >= operation.completed) break;
      linearization.announce(announced[next]!);
    }
    if (linearization.push(operation) !== undefined) return linearization.truncated ? "unknown" : "not-linearizable";
  }
  for (; next < announced.length; next += 1) linearization.announce(announced[next]!);
  if (linearization.finish() === undefined) return "linearizable";
  return linearization.truncated ? "unknown" : "not-linearizable";
}

/**
 * Runs the checker over the events of finished operations, as it reads them from a history: it knows an operation when its
 * completion comes, and one that stays open at the end. Its own operations have the leases that those events imply, so
 * that the general search to compare it with is its own, too.
 */
export function followEvents(
  operations: readonly LockOperation[],
  model: LockModelName,
  observeContention = true,
): KeyOperations {
  const following = new KeyOperations(lockModel(model), observeContention, Infinity);
  for (const event of eventsOf(operations)) {
    if ("invocation" in event) following.invoke(event.invocation, event.stranger);
    else following.complete(event.completion);
  }
  following.finish();
  return following;
}
