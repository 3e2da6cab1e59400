import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvocationQueue } from "./invocation-queue.ts";
import type { LockOperation } from "./lock-models.ts";

describe("a queue of operations", () => {
  it("gives those that were invoked before an event, in order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 100 })), fc.nat({ max: 100 }), (invoked, index) => {
        const queue = new InvocationQueue();
        for (const each of invoked) queue.add({ invoked: each } as LockOperation);
        const before = invoked.filter((each) => each < index).toSorted((one, other) => one - other);
        expect([...queue.before(index)].map((operation) => operation.invoked)).toEqual(before);
        const rest = invoked.filter((each) => each >= index).toSorted((one, other) => one - other);
        expect(queue.first?.invoked).toBe(rest[0]);
        expect([...queue.before(Infinity)].map((operation) => operation.invoked)).toEqual(rest);
      }),
    );
  });
});
