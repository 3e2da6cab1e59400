import { expect, it } from "vitest";
import { countKept } from "../testing/garbage.ts";
import { initialConfigurations, withoutCommon } from "./configuration.ts";
import { lockModel, type LockOperation } from "./lock-models.ts";
import { PossibleOperations, withUsed } from "./possible-operations.ts";
import { StepBudget } from "./step-budget.ts";

function acquireOf(invoked: number): LockOperation {
  return {
    kind: "acquire",
    required: false,
    process: invoked,
    owner: undefined,
    stranger: false,
    fence: undefined,
    invoked,
    invokedTime: invoked,
    completed: Infinity,
    completedTime: Infinity,
    leaseNs: 1000,
  };
}

it("gives each owner its own re-entry by an acquire that may have entered the holds of several", () => {
  const [start] = initialConfigurations(lockModel("reentrant-fenced-mutex"));
  const possible = new PossibleOperations(new StepBudget(1000));
  const [older, newer] = [acquireOf(1), acquireOf(2)];
  // The outcome of the older one is known to be unknown only later.
  for (const acquire of [newer, older])
    for (const owner of ["a", "b"]) possible.add({ ...acquire, kind: "reenter", owner, acquire });

  const entered = ["a", "b"].map((owner) => possible.changesBy(owner, start!, 10)[0]!);
  expect(entered).toMatchObject([
    { kind: "reenter", owner: "a", invoked: 1 },
    { kind: "reenter", owner: "b", invoked: 1 },
  ]);
  for (const { acquire } of entered) expect(acquire).toBe(older);
  const [next] = possible.changesBy("a", withUsed(start!, entered[0]!), 10);
  expect(next).toMatchObject({ kind: "reenter", owner: "a", invoked: 2 });
});

it("keeps an acquire once that may have entered the holds of many owners", async () => {
  const [owners, acquires] = [20, 20];
  const possible = new PossibleOperations(new StepBudget(1000));
  const reentries: WeakRef<LockOperation>[] = [];
  for (let invoked = 0; invoked < acquires; invoked += 1) {
    const acquire = acquireOf(invoked);
    for (let owner = 0; owner < owners; owner += 1) {
      const reentry = { ...acquire, kind: "reenter", owner: `o${owner}`, acquire } as const;
      reentries.push(new WeakRef(reentry));
      possible.add(reentry);
    }
  }
  // The first of each owner stands for its kind.
  expect(await countKept(reentries)).toBeLessThan(2 * owners);
  expect(possible.mayChange("o0")).toBe(true);
});

it("drops what must have taken effect before an event, unless a hold lasts that shows it later", () => {
  const [start] = initialConfigurations(lockModel("fenced-mutex"));
  const possible = new PossibleOperations(new StepBudget(1000));
  const loss = (invoked: number, until: number): LockOperation => ({
    ...acquireOf(invoked),
    kind: "lose",
    owner: "a",
    until,
  });
  const [first, second] = [loss(1, 5), loss(7, 9)];
  for (const each of [first, second]) possible.add(each);
  const usedOne = withUsed(start!, first);

  expect(possible.pass(4, () => false).size).toBe(0);
  expect(possible.pass(8, () => true).size).toBe(0);
  expect(possible.changesBy("a", start!, 10)).toEqual([first]);
  expect(possible.changesBy("a", { ...start!, point: { index: 5, time: 5 } }, 10)).toEqual([]);
  expect(possible.changesBy("a", usedOne, 10)).toEqual([second]);
  const passed = possible.pass(8, (owner, until) => owner !== "a" || until !== 5);
  expect(withoutCommon(usedOne.used, passed).size).toBe(0);
  expect(possible.changesBy("a", start!, 10)).toEqual([second]);
  // Every configuration has used it.
  possible.settle(withUsed(start!, second).used);
  expect(possible.pass(10, () => false).size).toBe(0);
  expect(possible.mayChange("a")).toBe(false);
});
