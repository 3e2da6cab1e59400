import { Linearization } from "../linearization.ts";
import type { LockModel, LockOperation } from "../lock-models.ts";
import type { SearchOutcome } from "../wgl.ts";

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
