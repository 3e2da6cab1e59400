import { describe, expect, it } from "vitest";
import { HistoryChecker } from "./check.ts";
import { linearizability } from "./properties/linearizability.ts";
import type { LockModelName } from "./linearizability/lock-models.ts";
import { StepBudget } from "./linearizability/step-budget.ts";
import { ADVERSARIAL_HEADER, adversarialEvents, SHAPES } from "./testing/adversarial-histories.ts";

/** How many steps linearizability takes for a history of this shape and length, and what it says. */
function judged(
  shape: string,
  lines: number,
  model: LockModelName,
  most: number,
): { readonly steps: number; readonly reason?: string } {
  const budget = new StepBudget(most);
  const checker = new HistoryChecker(ADVERSARIAL_HEADER, { checkers: [linearizability({ model, budget })] });
  for (const event of adversarialEvents(shape, lines)) checker.push(event);
  const { reason } = checker.finish().properties.linearizability ?? {};
  return { steps: budget.spent + budget.half.spent, ...(reason === undefined ? {} : { reason }) };
}

const MANY_STEPS = 3_000_000;

/** The shapes whose steps per line grow with the length: the budget ends them. */
const DEAR: Readonly<Partial<Record<LockModelName, readonly string[]>>> = {
  "reentrant-fenced-mutex": [
    "slow acquires, whose leases may be over on arrival",
    "re-entered, then left, with unanswered extensions",
    "extensions under way a hundred at a time",
    "fifty clients of one owner value at once",
  ],
  mutex: [
    "slow acquires, whose leases may be over on arrival",
    "unanswered acquires of many lease lengths",
    "all acquires invoked first, granted in reverse",
    "mutex: fifty releases under way",
  ],
};

describe.each(["reentrant-fenced-mutex", "mutex"] as const)("hard histories, model %s", (model) => {
  it.each(Object.keys(SHAPES).filter((shape) => DEAR[model]?.includes(shape) !== true))(
    "take steps in proportion to their length: %s",
    { tags: "long" },
    (shape) => {
      const [short, long] = [judged(shape, 800, model, MANY_STEPS), judged(shape, 3200, model, MANY_STEPS)];
      expect(short.steps).toBeLessThan(MANY_STEPS / 2);
      expect(long.steps).toBeLessThan(6 * short.steps + 500);
    },
  );

  it.each(DEAR[model] ?? [])("take no more steps than they are given: %s", { tags: "long" }, (shape) => {
    const { steps, reason } = judged(shape, 3200, model, 300_000);
    // A single operation may be expensive: the budget is checked only between operations.
    expect(steps).toBeLessThan(12_000_000);
    if (reason !== undefined) expect(reason).toMatch(/takes more than 300000 steps/);
  });
});
