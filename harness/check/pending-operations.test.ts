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
  const [first, second] = [operation("acquire"), operation("acquire")];
  pending.addAcquire(first, OWNER, true);
  pending.addAcquire(second, OWNER, true);
  pending.addChange(operation("release"), OWNER);
  expect([...pending.floating]).toEqual([first]);
});

test("and says nothing of one before, when the last acquire's hold certainly outlasted it", () => {
  const pending = new PendingOperations();
  const first = operation("acquire");
  pending.addAcquire(first, OWNER, true);
  pending.addAcquire(operation("acquire"), OWNER, false);
  pending.addChange(operation("extend"), OWNER);
  expect([...pending.floating]).toEqual([first]);
});
