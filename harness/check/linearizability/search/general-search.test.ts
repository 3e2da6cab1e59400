import { expect, test } from "vitest";
import { GeneralSearch } from "./general-search.ts";
import { lockModel, type LockOperation } from "../lock-models.ts";

const MS = 1_000_000;
const sharing = {
  maxDepth: Infinity,
  beganFree: true,
  sameClient: (earlier: number, later: number) => earlier === later,
};

/** One operation after another, a millisecond each. */
class Operations {
  readonly all: LockOperation[] = [];
  readonly #limit: number;

  /** @param limit the permits of the semaphore */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** An acquire that is never answered. */
  addUnknown(leaseMs: number): void {
    this.add("acquire", "?9", leaseMs);
    const end = { required: false, completed: Infinity, completedTime: Infinity };
    this.all.push({ ...this.all.pop()!, ...end, owner: undefined });
  }

  add(kind: LockOperation["kind"], owner: string, leaseMs = 0, stranger = false): void {
    const place = this.all.length;
    this.all.push({
      kind,
      owner,
      process: Number(owner.slice(1)),
      required: true,
      stranger,
      fence: undefined,
      invoked: 2 * place,
      invokedTime: 2 * place * MS,
      completed: 2 * place + 1,
      completedTime: (2 * place + 1) * MS,
      leaseNs: leaseMs * MS,
      share: { kind: "counted", permits: 1, limit: this.#limit },
    });
  }
}

/** A full semaphore grants one permit more. Then the first holders release theirs, and the last one holds nothing any more. */
function oneMore(holders: number, leaseMs: number): readonly LockOperation[] {
  const operations = new Operations(holders);
  for (let holder = 0; holder < holders; holder += 1) operations.add("acquire", `a${holder}`, leaseMs);
  operations.add("acquire", `z${holders}`, 1000);
  for (let holder = 0; holder < holders - 1; holder += 1) operations.add("release", `a${holder}`);
  operations.add("miss", `a${holders - 1}`);
  return operations.all;
}

test.each([
  [12, 1, "linearizable"],
  // The thirteenth lease is the one that expired, and only twelve are tried.
  [13, 1, "unknown"],
  [13, 1000, "not-linearizable"],
])("a semaphore of %s permits whose leases last %s ms is %s", (holders, leaseMs, expected) => {
  const search = new GeneralSearch(lockModel("reentrant-fenced-mutex", { beganFree: true }), sharing);
  expect(search.search(oneMore(holders, leaseMs))).toBe(expected);
});

test.each([
  ["release", true, "linearizable"],
  ["extend", true, "linearizable"],
  // It refers to a grant that is known.
  ["release", false, "not-linearizable"],
] as const)("an owner without a known grant: its %s (%s) is %s", (kind, stranger, expected) => {
  const operations = new Operations(1);
  operations.addUnknown(1000);
  operations.add(kind, "a0", 1000, stranger);
  const search = new GeneralSearch(lockModel("reentrant-fenced-mutex", { beganFree: true }), sharing);
  expect(search.search(operations.all)).toBe(expected);
});
