import { expect, test } from "vitest";
import type { LockOperation } from "./lock-models.ts";
import { PendingOperations } from "./pending-operations.ts";

const OWNER = "owner-1";

function operation(kind: LockOperation["kind"]): LockOperation {
  return {
    kind,
    required: true,
    process: 0,
    owner: OWNER,
    stranger: false,
    fence: undefined,
    invoked: 0,
    invokedTime: 0,
    completed: 1,
    completedTime: 1,
    leaseNs: 1,
  };
}

test("what an owner does to its hold is about its last acquire, and shows that this one was not over", () => {
  const pending = new PendingOperations();
  const [first, second, release] = [operation("acquire"), operation("acquire"), operation("release")];
  pending.addAcquire(first, OWNER, true);
  pending.addAcquire(second, OWNER, true);
  pending.addChange(release, OWNER);
  for (const each of [first, second, release]) pending.confirm(each, OWNER);
  pending.reach(1);
  expect([...pending.floating]).toEqual([first]);
});

test("and says nothing of one before, when the last acquire's hold certainly outlasted it", () => {
  const pending = new PendingOperations();
  const [first, second, extension] = [operation("acquire"), operation("acquire"), operation("extend")];
  pending.addAcquire(first, OWNER, true);
  pending.addAcquire(second, OWNER, false);
  pending.addChange(extension, OWNER);
  for (const each of [first, second, extension]) pending.confirm(each, OWNER);
  pending.reach(1);
  expect([...pending.floating]).toEqual([first]);
});

test("nor does a release or extension that may be of a hold that nobody was told of", () => {
  const pending = new PendingOperations();
  const acquire = operation("acquire");
  const release = { ...operation("release"), stranger: true };
  pending.addAcquire(acquire, OWNER, true);
  pending.addChange(release, OWNER);
  for (const each of [acquire, release]) pending.confirm(each, OWNER);
  pending.reach(1);
  expect([...pending.floating]).toEqual([acquire]);
});

test("but only once it is certain that nothing its owner did comes between the two", () => {
  const pending = new PendingOperations();
  const acquire = operation("acquire");
  pending.addAcquire(acquire, OWNER, true);
  pending.addChange(operation("release"), OWNER);
  pending.reach(1);
  expect([...pending.floating]).toEqual([acquire]);
});

test("an operation matters once what is judged comes after its invocation, until it is placed", () => {
  const pending = new PendingOperations();
  const [first, second, third] = [0, 4, 2].map((invoked) => ({ ...operation("acquire"), invoked, stranger: true }));
  for (const each of [first!, second!, third!]) {
    pending.addAcquire(each, OWNER, true);
    pending.addChange(each, OWNER);
  }
  const known = (): unknown => [[...pending.floating], [...pending.changesByStrangers()]];
  expect(known()).toEqual([[], []]);
  pending.reach(3);
  expect(known()).toEqual([
    [first, third],
    [first, third],
  ]);
  for (const each of [first!, second!]) pending.remove(each);
  pending.reach(5);
  expect(known()).toEqual([[third], [third]]);
});
