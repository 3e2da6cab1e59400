import type { Plan } from "../../core/plan.ts";

/** Plans of one kind, the most telling first, and how often they come compared with those of others. */
export interface Queue {
  readonly plans: IteratorObject<Plan>;
  readonly share: number;
}

/** The plans of all queues, by turns: each queue as often as its share says. */
export function* inTurn(queues: readonly Queue[]): Generator<Plan> {
  const waiting = queues.map(({ plans, share }) => ({ plans, share, taken: 0 }));
  const dueAt = ({ taken, share }: { readonly taken: number; readonly share: number }): number => (taken + 0.5) / share;
  while (waiting.length > 0) {
    const next = waiting.reduce((one, other) => (dueAt(other) < dueAt(one) ? other : one));
    const { done, value } = next.plans.next();
    if (done === true) waiting.splice(waiting.indexOf(next), 1);
    else {
      next.taken += 1;
      yield value;
    }
  }
}
