import { expect, it } from "vitest";
import { lockModel, type LockOperation } from "./lock-models.ts";
import { OwnersAlone } from "./owners-alone.ts";
import { StepBudget } from "./step-budget.ts";

let index = 0;

function operation(kind: LockOperation["kind"], owner: string, required = true): LockOperation {
  const [invoked, completed] = [(index += 1), (index += 1)];
  const times = { invoked, invokedTime: invoked, completed: required ? completed : Infinity, completedTime: completed };
  return { kind, owner, required, process: 0, stranger: false, fence: undefined, leaseNs: 1e9, ...times };
}

function followed(owners: OwnersAlone, operations: readonly LockOperation[]): boolean {
  const found = operations.map((each) => {
    owners.announce(each);
    return each.required ? owners.push(each) : undefined;
  });
  return found.some((impossible) => impossible !== undefined);
}

/** Owners that are granted the key, and whose release is never answered. */
const unanswered = (names: readonly string[]): readonly LockOperation[] =>
  names.flatMap((name) => [operation("acquire", name), operation("release", name, false)]);

it("judges nothing more that an owner is told which did nothing for longest, where more are followed than it remembers", () => {
  const owners = new OwnersAlone(lockModel("reentrant-fenced-mutex"), new StepBudget(1e6), 3);
  expect(followed(owners, unanswered(["a", "b"]))).toBe(false);
  expect(followed(owners, [operation("acquire", "held")])).toBe(false);
  expect(followed(owners, unanswered(["c"]))).toBe(false);
  // It was granted the key, but nobody knows it any more.
  expect(followed(owners, [operation("release", "a")])).toBe(false);
  expect(followed(owners, [operation("release", "held")])).toBe(false);
  expect(followed(owners, [operation("release", "held")])).toBe(true);
});

it("does not forget an owner that goes on", () => {
  const owners = new OwnersAlone(lockModel("reentrant-fenced-mutex"), new StepBudget(1e6), 3);
  for (const name of ["a", "b", "c", "d", "e"]) {
    expect(followed(owners, [operation("acquire", "held"), ...unanswered([name])])).toBe(false);
  }
  for (let entry = 0; entry < 5; entry += 1) expect(followed(owners, [operation("release", "held")])).toBe(false);
  expect(followed(owners, [operation("release", "held")])).toBe(true);
});
