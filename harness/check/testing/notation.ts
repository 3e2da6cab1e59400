import type { LockOperation } from "../linearizability/lock-models.ts";

const OPERATION =
  /^(?<kind>acquire|release|miss|extend|contended)(?<mark>[?!]?)(?: (?<owner>[a-z]))? (?<from>\d+)(?:-(?<to>\d+))?(?: lease (?<lease>\d+))?(?: until (?<until>\d+))?(?: fence (?<fence>\d+))?$/;

/**
 * Reads operations on a lock from a short notation, so that tests can show them: `acquire a 0-1 lease 10 fence 3;
 * release? a 2`. The numbers are both positions and times. `?` marks an unknown outcome, `!` a release or extension of
 * which no grant is known. `until 7` says that the lock reported a validity that ends there. A lease without a length
 * lasts 1000.
 */
export function operationsOf(text: string): readonly LockOperation[] {
  return text.split("; ").map((part, process) => {
    const groups = OPERATION.exec(part)?.groups;
    if (groups === undefined) throw new Error(`cannot read "${part}"`);
    const { kind, mark, owner, from, to, lease = "1000", until, fence } = groups;
    const required = mark !== "?";
    const completed = required ? Number(to) : Infinity;
    return {
      kind: kind as LockOperation["kind"],
      required,
      process,
      owner,
      stranger: mark === "!",
      fence: fence === undefined ? undefined : Number(fence),
      invoked: Number(from),
      invokedTime: Number(from),
      completed,
      completedTime: completed,
      leaseNs: Number(lease),
      validUntil: until === undefined ? undefined : Number(until),
    };
  });
}
