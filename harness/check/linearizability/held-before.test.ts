/** Histories that begin when somebody may already hold the lock: what explains them, by both algorithms. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { followLinearization } from "../testing/follow.ts";
import { operationsOf } from "../testing/notation.ts";
import { isRegular, RANDOM_KINDS } from "../testing/random-kinds.ts";
import { moves, randomOperations } from "../testing/random-locks.ts";
import { wildOperations } from "../testing/wild-operations.ts";
import { LOCK_MODELS, lockModel, type LockModelName, type LockOperation } from "./lock-models.ts";
import { searchLinearization } from "./search/wgl.ts";

const ALL = LOCK_MODELS;
const NONE: readonly LockModelName[] = [];
const REENTRANT: readonly LockModelName[] = ["reentrant-mutex", "reentrant-fenced-mutex"];

interface Case {
  readonly name: string;
  /** `kind owner invoked-completed`, see `testing/notation.ts`. */
  readonly operations: string;
  /** The models that explain it. */
  readonly explainedBy: readonly LockModelName[];
}

const cases: readonly Case[] = [
  {
    name: "a release of a hold from before",
    operations: "release a 0-1; acquire b 2-3; release b 4-5",
    explainedBy: ALL,
  },
  {
    name: "an extension, then the release of a hold from before",
    operations: "extend a 0-1 lease 50; release a 2-3; acquire b 4-5",
    explainedBy: ALL,
  },
  {
    name: "an extension keeps the others out",
    operations: "extend a 0-1 lease 50; acquire b 2-3; miss a 4-5",
    explainedBy: NONE,
  },
  { name: "a hold from before expires", operations: "acquire a 0-1; release a 2-3", explainedBy: ALL },
  {
    name: "released by somebody who never held it, after another was granted it",
    operations: "acquire a 0-1; release b 2-3; miss a 4-5",
    explainedBy: ["mutex"],
  },
  {
    name: "released by somebody who never held it, when another had released it",
    operations: "acquire a 0-1; release a 2-3; release b 4-5",
    explainedBy: NONE,
  },
  { name: "two owners from before", operations: "release a 0-1; release b 2-3", explainedBy: NONE },
  {
    name: "an extension under way while it expires",
    operations: "extend a 0-9 lease 1; acquire b 2-3; release b 4-5",
    explainedBy: ALL,
  },
  {
    name: "a release under way when the next is granted",
    operations: "release a 0-9; acquire b 2-3; release b 10-11",
    explainedBy: ALL,
  },
  {
    name: "released as often as it had been entered",
    operations: "release a 0-1; release a 2-3",
    explainedBy: REENTRANT,
  },
  {
    name: "entered again, and released more often than that",
    operations: "acquire a 0-1 fence 5; release a 2-3; release a 4-5; acquire b 6-7 fence 6",
    explainedBy: REENTRANT,
  },
  {
    name: "entered twice, and not free after one release",
    operations: "acquire a 0-1; acquire a 2-3; release a 4-5; acquire b 6-7; miss a 8-9",
    explainedBy: NONE,
  },
  {
    name: "entered again, and free after as many releases",
    operations: "acquire a 0-1 fence 5; release a 2-3; acquire b 4-5 fence 6",
    explainedBy: ALL,
  },
  {
    name: "entered again with the fencing token of its hold",
    operations: "acquire a 0-1 fence 5; release a 2-3; acquire a 4-5 fence 5",
    explainedBy: ["mutex", "owner-aware-mutex", ...REENTRANT],
  },
  {
    name: "a smaller fencing token than that of the hold from before",
    operations: "acquire a 0-1 fence 5; release a 2-3; release a 4-5; acquire b 6-7 fence 4",
    explainedBy: ["reentrant-mutex"],
  },
  {
    name: "refused by a hold from before",
    operations: "contended 0-1; contended 50-51; acquire b 60-61",
    explainedBy: ALL,
  },
  {
    name: "refused after a hold that excluded all others",
    operations: "acquire a 0-1; release a 2-3; contended 4-5",
    explainedBy: REENTRANT,
  },
  {
    name: "refused after two holds that excluded all others",
    operations: "acquire b 0-1; release b 2-3; acquire a 4-5; release a 6-7; contended 8-9",
    explainedBy: NONE,
  },
];

describe.each(cases)("$name", ({ operations, explainedBy }) => {
  it.each(LOCK_MODELS)("%s", (name) => {
    const expected = explainedBy.includes(name) ? "linearizable" : "not-linearizable";
    const parsed = withStrangers(operationsOf(operations));
    const model = lockModel(name, { beganFree: false });
    expect(searchLinearization(parsed, model, 100_000)).toBe(expected);
    expect(followLinearization(parsed, model)).toBe(expected);
    expect(followLinearization(parsed, model, { lookAhead: true })).toBe(expected);
  });
});

const RUNS = Number(process.env["LOCKSTORM_AGREEMENT_RUNS"] ?? 60);

/** As the checker sees them: a release or an extension is a stranger's until its owner has been granted the lock. */
function withStrangers(operations: readonly LockOperation[]): readonly LockOperation[] {
  return operations.map((operation) => {
    const refers = operation.kind === "release" || operation.kind === "extend";
    const granted = operations.some(
      ({ kind, owner, completed }) => kind === "acquire" && owner === operation.owner && completed < operation.invoked,
    );
    return { ...operation, stranger: refers && !granted };
  });
}

/** What is recorded of a history from some operation on. No operation is under way when the recording begins. */
function from(operations: readonly LockOperation[], first: number): readonly LockOperation[] {
  const begin = operations.toSorted((one, other) => one.invoked - other.invoked)[first]?.invoked ?? 0;
  const spans = operations.some(({ invoked, completed }) => invoked < begin && completed >= begin);
  return spans ? [] : withStrangers(operations.filter(({ invoked }) => invoked >= begin));
}

describe("random histories of which the beginning is missing", () => {
  it.each(RANDOM_KINDS)(
    "are judged as by the general search: fixed owners $fixedOwners, contention $contention, unknown outcomes $unknown, lies $lies, re-entry $reentrant",
    { tags: "long" },
    (options) => {
      fc.assert(
        fc.property(moves(options), fc.nat({ max: 8 }), (history, first) => {
          const operations = from(randomOperations(history, options), first);
          fc.pre(operations.length > 0 && isRegular(operations));
          for (const name of LOCK_MODELS) {
            const model = lockModel(name, { beganFree: false });
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

  it.each(RANDOM_KINDS.filter(({ lies, unknown }) => lies === 0 && !unknown))(
    "of a correct lock are explained: fixed owners $fixedOwners, contention $contention, re-entry $reentrant",
    { tags: "long" },
    (options) => {
      const seen = { cut: 0 };
      fc.assert(
        fc.property(moves(options), fc.nat({ max: 8 }), (history, first) => {
          const whole = randomOperations(history, options);
          const operations = from(whole, first);
          const model = lockModel(options.reentrant ? "reentrant-fenced-mutex" : "fenced-mutex", { beganFree: false });
          seen.cut += operations.length > 0 && operations.length < whole.length ? 1 : 0;
          expect(searchLinearization(operations, model, 1_000_000)).toBe("linearizable");
          if (isRegular(operations)) expect(followLinearization(operations, model)).toBe("linearizable");
        }),
        { numRuns: 10 * RUNS },
      );
      // Of so many runs: a share near this one is a matter of chance in a few.
      expect(seen.cut).toBeGreaterThan(RUNS / 3);
    },
  );
});

describe("operations of no lock at all, judged without owners", () => {
  it.each([
    { leases: "that never end", options: { leases: [1_000_000], owners: undefined } },
    { leases: "of one length", options: { leases: [6], owners: undefined } },
    { leases: "of several lengths", options: { leases: [3, 6, 6, 12, 1_000_000], owners: undefined } },
    { leases: "of several lengths, owner values that overlap", options: { leases: [3, 6, 12], owners: 3 } },
  ])("leases $leases", ({ options }) => {
    const model = lockModel("mutex", { beganFree: false });
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
