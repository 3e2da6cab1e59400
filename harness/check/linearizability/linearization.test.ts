import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOCK_MODELS, lockModel, type LockModelName } from "./lock-models.ts";
import { followLinearization } from "../testing/follow.ts";
import { operationsOf } from "../testing/notation.ts";
import { moves, randomOperations } from "../testing/random-locks.ts";
import { isRegular, RANDOM_KINDS } from "../testing/random-kinds.ts";
import { wildOperations } from "../testing/wild-operations.ts";
import { searchLinearization } from "./search/wgl.ts";

interface Case {
  readonly name: string;
  /** `kind owner invoked-completed`, see `testing/notation.ts`. */
  readonly operations: string;
  /** The models that explain it. */
  readonly explainedBy: readonly LockModelName[];
}

const ALL = LOCK_MODELS;
const NONE: readonly LockModelName[] = [];
const REENTRANT: readonly LockModelName[] = ["reentrant-mutex", "reentrant-fenced-mutex"];
const UNFENCED: readonly LockModelName[] = ["mutex", "owner-aware-mutex", "reentrant-mutex"];

const cases: readonly Case[] = [
  { name: "in turn", operations: "acquire a 0-1; release a 2-3; acquire b 4-5; release b 6-7", explainedBy: ALL },
  {
    name: "cores overlap",
    operations: "acquire a 0-1; acquire b 2-3; release a 4-5; release b 6-7",
    explainedBy: NONE,
  },
  {
    name: "a release under way lets the next in",
    operations: "acquire a 0-1; release a 2-6; acquire b 3-4; release b 7-8",
    explainedBy: ALL,
  },
  {
    name: "an acquire under way waits for the release",
    operations: "acquire a 0-1; acquire b 2-9; release a 3-4; release b 10-11",
    explainedBy: ALL,
  },
  { name: "a lease expires", operations: "acquire a 0-1 lease 10; acquire b 11-12; miss a 13-14", explainedBy: ALL },
  {
    name: "a lease expires when the validity is over that the lock reported",
    operations: "acquire a 0-1 lease 10 until 5; acquire b 4-6; miss a 13-14",
    explainedBy: ALL,
  },
  {
    name: "a lease expires before the validity is over that the lock reported",
    operations: "acquire a 0-1 lease 10 until 7; acquire b 4-6",
    explainedBy: NONE,
  },
  {
    name: "a validity beyond the TTL promises no more than the TTL",
    operations: "acquire a 0-1 lease 10 until 50; acquire b 11-12; miss a 13-14",
    explainedBy: ALL,
  },
  {
    name: "an extension with a short validity",
    operations: "acquire a 0-1 lease 10; extend a 2-3 lease 10 until 5; acquire b 6-7; miss a 13-14",
    explainedBy: ALL,
  },
  { name: "a lease expires too early", operations: "acquire a 0-1 lease 10; acquire b 5-6", explainedBy: NONE },
  {
    name: "a lease expires at its very end",
    operations: "acquire a 0-1 lease 10; acquire b 9-10; miss a 13-14",
    explainedBy: ALL,
  },
  {
    name: "an extension defers the expiry",
    operations: "acquire a 0-1 lease 10; extend a 8-9 lease 10; acquire b 11-12",
    explainedBy: NONE,
  },
  {
    name: "an extension of unknown outcome need not",
    operations: "acquire a 0-1 lease 10; extend? a 8 lease 10; acquire b 11-12",
    explainedBy: ALL,
  },
  {
    name: "an extension of unknown outcome may shorten the lease",
    operations: "acquire a 0-1 lease 100; extend? a 2 lease 3; acquire b 6-7",
    explainedBy: ALL,
  },
  {
    name: "an extension after the lock went to another",
    operations: "acquire a 0-1 lease 10; acquire b 11-12 lease 50; extend a 13-14 lease 10",
    explainedBy: ["mutex"],
  },
  {
    name: "a release of unknown outcome may free",
    operations: "acquire a 0-1; release? a 2; acquire b 3-4; release b 5-6",
    explainedBy: ALL,
  },
  {
    name: "a release of unknown outcome cannot free before it was invoked",
    operations: "acquire a 0-1; acquire b 2-3; release? a 4",
    explainedBy: NONE,
  },
  {
    name: "somebody else's release",
    operations: "acquire a 0-1 lease 5; acquire b 6-7 lease 50; release a 8-9; acquire c 10-11; miss b 12-13",
    explainedBy: ["mutex"],
  },
  { name: "a miss while holding", operations: "acquire a 0-1; miss a 2-3", explainedBy: ["mutex"] },
  { name: "a miss after the lease", operations: "acquire a 0-1 lease 5; miss a 8-9", explainedBy: ALL },
  { name: "released twice", operations: "acquire a 0-1; release a 2-3; release a 4-5", explainedBy: NONE },
  {
    name: "re-entry",
    operations: "acquire a 0-1 fence 1; acquire a 2-3 fence 1; release a 4-5; release a 6-7",
    explainedBy: REENTRANT,
  },
  {
    name: "re-entry with another fencing token",
    operations: "acquire a 0-1 fence 1; acquire a 2-3 fence 2; release a 4-5; release a 6-7",
    explainedBy: ["reentrant-mutex"],
  },
  {
    name: "the inner release frees the outer hold",
    operations: "acquire a 0-1; acquire a 2-3; release a 4-5; acquire b 6-7",
    explainedBy: NONE,
  },
  {
    name: "fencing tokens in order",
    operations: "acquire a 0-1 fence 1; release a 2-3; acquire b 4-5 fence 2; release b 6-7",
    explainedBy: ALL,
  },
  {
    name: "a fencing token repeated",
    operations: "acquire a 0-1 fence 1; release a 2-3; acquire b 4-5 fence 1; release b 6-7",
    explainedBy: UNFENCED,
  },
  {
    name: "an acquire of unknown outcome blocks nobody",
    operations: "acquire? 0; acquire a 1-2; release a 3-4",
    explainedBy: ALL,
  },
  {
    name: "a release that refers to a grant nobody was told of",
    operations: "acquire? 0 lease 100; release! a 3-4",
    explainedBy: ALL,
  },
  { name: "a release of what was never granted", operations: "release! a 3-4", explainedBy: NONE },
  { name: "refused while somebody holds", operations: "acquire a 0-1; contended 2-3; release a 4-5", explainedBy: ALL },
  {
    name: "refused while somebody is about to be granted",
    operations: "acquire a 0-5; contended 1-2; release a 6-7",
    explainedBy: ALL,
  },
  {
    name: "refused while the release is under way",
    operations: "acquire a 0-1; release a 2-5; contended 3-4",
    explainedBy: ALL,
  },
  { name: "refused when it was free", operations: "acquire a 0-1; release a 2-3; contended 4-5", explainedBy: NONE },
  {
    name: "refused between two holds that leave a gap",
    operations: "acquire a 0-1; release a 2-3; contended 4-5; acquire b 6-7; release b 8-9",
    explainedBy: NONE,
  },
  {
    name: "refused in a gap that a grant nobody was told of fills",
    operations: "acquire? 0 lease 3; acquire a 1-2; release a 3-4; contended 5-6; acquire b 7-10; release b 11-12",
    explainedBy: ALL,
  },
  {
    name: "refused in a gap too short for the grant nobody was told of",
    operations: "acquire? 0 lease 30; acquire a 1-2; release a 3-4; contended 5-6; acquire b 7-10; release b 11-12",
    explainedBy: NONE,
  },
  {
    name: "an acquire that took longer than its lease",
    operations: "acquire a 0-20 lease 5; acquire b 8-9 lease 100; release b 21-22; miss a 23-24",
    explainedBy: ALL,
  },
  {
    name: "a late release with a reused owner value ends the second hold",
    operations: "acquire a 0-1 lease 5; release? a 2; acquire a 7-8 lease 100; acquire b 9-10; miss a 11-12",
    explainedBy: ALL,
  },
  {
    name: "a slow acquire must wait although its lease might have been over",
    operations: "acquire a 0-15 lease 4; acquire b 5-6 lease 4; release b 7-8; release a 16-17",
    explainedBy: ALL,
  },
  {
    name: "an extension of unknown outcome before an inner release shortens the lease more than after it",
    operations: "acquire a 0-1; extend? a 2 lease 10; acquire a 3-4; release a 5-6; miss a 13-14",
    explainedBy: REENTRANT,
  },
  {
    name: "a slow re-entry that was over before it was completed",
    operations:
      "acquire a 0-1 lease 3 fence 1; acquire a 2-30 lease 3 fence 1; acquire b 8-9 lease 100 fence 2; release b 31-32; miss a 33-34",
    explainedBy: ["mutex", "owner-aware-mutex", "reentrant-mutex", "reentrant-fenced-mutex"],
  },
  {
    name: "a hold cannot have ended before its inner release",
    operations: "acquire a 0-1 lease 5; acquire a 2-3 lease 5; release a 20-21; acquire b 4-22 lease 10; miss b 23-25",
    explainedBy: NONE,
  },
  {
    name: "a late release of an earlier hold robs a slow acquire",
    operations:
      "acquire a 0-1 lease 5; release? a 2; acquire a 7-20 lease 100; acquire b 9-10 lease 100; release b 21-22; miss a 23-24",
    explainedBy: ALL,
  },
  {
    name: "refused by a hold that was entered twice rather than renewed",
    operations: "acquire a 0-1 lease 3; acquire a 4-5 lease 3; release a 6-7; miss a 10-12; contended 11-13",
    explainedBy: REENTRANT,
  },
  {
    name: "a late release is left for the second hold of a reused owner value",
    operations:
      "acquire a 0-1 lease 4; release? a 2; acquire b 3-6; release b 7-8; acquire a 9-10; acquire c 11-12; miss a 13-14",
    explainedBy: ALL,
  },
  {
    name: "refused before a grant nobody was told of, between two slow acquires",
    operations:
      "acquire? 0 lease 4; contended 2-3; acquire b 4-9 lease 4; acquire a 1-8 lease 4; extend a 10-11 lease 4",
    explainedBy: ALL,
  },
  {
    name: "of two grants nobody was told of the shorter is left for the shorter gap",
    operations:
      "acquire? 0 lease 3; acquire? 1 lease 6; acquire a 2-3; release a 4-5; contended 6-7; acquire b 8-14; release b 15-16; " +
      "contended 17-18; acquire c 19-20; release c 21-22",
    explainedBy: ALL,
  },
];

describe.each(cases)("$name", ({ operations, explainedBy }) => {
  it.each(LOCK_MODELS)("%s", (name) => {
    const expected = explainedBy.includes(name) ? "linearizable" : "not-linearizable";
    const parsed = operationsOf(operations);
    expect(searchLinearization(parsed, lockModel(name), 100_000)).toBe(expected);
    expect(followLinearization(parsed, lockModel(name))).toBe(expected);
    expect(followLinearization(parsed, lockModel(name), { lookAhead: true })).toBe(expected);
  });
});

const RUNS = Number(process.env["LOCKSTORM_AGREEMENT_RUNS"] ?? 250);

describe("random histories", () => {
  it("come in all outcomes", () => {
    const outcomes = new Set<string>();
    for (const options of RANDOM_KINDS) {
      for (const history of fc.sample(moves(options), { numRuns: 100, seed: 1 })) {
        outcomes.add(searchLinearization(randomOperations(history, options), lockModel("owner-aware-mutex"), 100_000));
      }
    }
    expect([...outcomes].toSorted()).toEqual(["linearizable", "not-linearizable"]);
  });

  it.each(RANDOM_KINDS)(
    "are judged as by the general search: fixed owners $fixedOwners, contention $contention, unknown outcomes $unknown, lies $lies, re-entry $reentrant",
    { tags: "long" },
    (options) => {
      fc.assert(
        fc.property(moves(options), (history) => {
          const operations = randomOperations(history, options);
          fc.pre(isRegular(operations));
          for (const name of LOCK_MODELS) {
            const model = lockModel(name);
            const searched = searchLinearization(operations, model, 1_000_000);
            for (const lookAhead of [false, true]) {
              const followed = followLinearization(operations, model, { lookAhead });
              if (followed !== "unknown") expect({ name, outcome: followed }).toEqual({ name, outcome: searched });
            }
          }
        }),
        { numRuns: RUNS },
      );
    },
  );

  it.each(RANDOM_KINDS.filter(({ lies }) => lies === 0))(
    "of a correct lock are explained: fixed owners $fixedOwners, contention $contention, unknown outcomes $unknown, re-entry $reentrant",
    (options) => {
      fc.assert(
        fc.property(moves(options), (history) => {
          const operations = randomOperations(history, options);
          const model = lockModel(options.reentrant ? "reentrant-fenced-mutex" : "fenced-mutex");
          expect(searchLinearization(operations, model, 1_000_000)).toBe("linearizable");
          if (isRegular(operations)) expect(followLinearization(operations, model)).toBe("linearizable");
        }),
        { numRuns: RUNS },
      );
    },
  );
});

describe("operations of no lock at all, judged without owners", () => {
  it.each([
    { leases: "that never end", options: { leases: [1_000_000], owners: undefined } },
    { leases: "of one length", options: { leases: [6], owners: undefined } },
    { leases: "of several lengths", options: { leases: [3, 6, 6, 12, 1_000_000], owners: undefined } },
    { leases: "of several lengths, owner values that overlap", options: { leases: [3, 6, 12], owners: 3 } },
  ])("leases $leases", { tags: "long" }, ({ options }) => {
    const model = lockModel("mutex");
    fc.assert(
      fc.property(wildOperations(options), (operations) => {
        const searched = searchLinearization(operations, model, 1_000_000);
        for (const lookAhead of [false, true]) {
          const followed = followLinearization(operations, model, { lookAhead });
          if (followed !== "unknown") expect(followed).toBe(searched);
        }
      }),
      { numRuns: 8 * RUNS },
    );
  });
});
