import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyOperations } from "./key-operations.ts";
import { KeptRoom } from "./search/kept-operations.ts";
import { LOCK_MODELS, lockModel, type LockModelName } from "./lock-models.ts";
import { countKept } from "../testing/garbage.ts";
import { followEvents } from "../testing/follow.ts";
import { operationsOf } from "../testing/notation.ts";
import { StepBudget } from "./step-budget.ts";
import { eventsOf } from "../testing/operation-events.ts";
import { wildOperations } from "../testing/wild-operations.ts";
import { moves, randomOperations } from "../testing/random-locks.ts";

function outcome(text: string, model: LockModelName = "owner-aware-mutex"): string {
  return followEvents(operationsOf(text), model).progress.state;
}

describe("operations of one key", () => {
  it("are followed to the end", () => {
    expect(outcome("acquire a 0-1; release a 2-3; acquire b 4-5; release b 6-7")).toBe("following");
    expect(outcome("acquire a 0-1; acquire b 4-5; release a 6-7; release b 8-9")).toBe("impossible");
    expect(outcome("acquire a 0-1; release a 2-3; contended 4-5")).toBe("unexplained-refusal");
  });

  it("count refusals only when asked to", () => {
    const operations = operationsOf("acquire a 0-1; release a 2-3; contended 4-5; acquire b 6-7");
    expect(followEvents(operations, "owner-aware-mutex", true).progress.state).toBe("impossible");
    expect(followEvents(operations, "owner-aware-mutex", false).progress.state).toBe("following");
  });

  it("are dropped when they are done with: there may be thousands of keys", async () => {
    const text = Array.from(
      { length: 100 },
      (_, turn) => `acquire a ${turn * 4}-${turn * 4 + 1}; release a ${turn * 4 + 2}-${turn * 4 + 3}`,
    );
    const following = new KeyOperations(
      lockModel("owner-aware-mutex"),
      false,
      new KeptRoom(0),
      undefined,
      new StepBudget(1e6),
    );
    const taken: WeakRef<object>[] = [];
    for (const event of eventsOf(operationsOf(text.join("; ")))) {
      if ("invocation" in event) following.invoke(event.invocation, event.stranger);
      else {
        const operation = following.complete(event.completion);
        if (operation !== undefined) taken.push(new WeakRef(operation));
      }
    }
    expect(taken).toHaveLength(200);
    expect(await countKept(taken)).toBeLessThan(50);
    expect(following.progress.state).toBe("following");
  });

  it("may be left open at the end", () => {
    // The first operation is left open: it may have been granted, and then somebody held.
    expect(outcome("acquire? 0 lease 9; contended 4-5")).toBe("following");
    expect(outcome("contended 4-5")).toBe("unexplained-refusal");
  });

  it("may overlap with others of the same owner value", () => {
    expect(outcome("acquire a 0-5; acquire a 1-6; release a 7-8")).toBe("impossible");
    expect(outcome("acquire a 0-5; release a 1-6; acquire a 2-7")).toBe("following");
    // The first acquire stays open, and so does the release between the two: either may have taken effect.
    expect(outcome("acquire a 0-5; release? a 3; acquire a 1-6")).toBe("following");
    expect(outcome("acquire a 0-5; acquire a 1-6 lease 5; acquire b 20-21")).toBe("impossible");
  });

  it("may be right without owners where they are wrong with them", () => {
    const text = "acquire a 0-1 lease 5; acquire b 8-9 lease 50; release a 10-11; acquire c 12-13";
    expect(outcome(text)).toBe("impossible");
    expect(outcome(text, "mutex")).toBe("following");
    expect(outcome("acquire a 0-1; release a 2-3; acquire b 4-5", "mutex")).toBe("following");
    expect(outcome("acquire a 0-1; acquire b 2-3; release b 4-5", "mutex")).toBe("impossible");
  });

  it("may overlap where owners do not count", () => {
    expect(outcome("acquire a 0-5; release a 1-6; acquire a 2-7", "mutex")).toBe("following");
    expect(outcome("acquire a 0-5; acquire a 1-6; release a 7-8", "mutex")).toBe("impossible");
  });

  it("are searched whole, those that stay open too, when the steps do not suffice; if they were not too many to keep", () => {
    const searched = (text: string, keep: number): string => {
      const budget = new StepBudget(0);
      const following = new KeyOperations(lockModel("owner-aware-mutex"), true, new KeptRoom(keep), undefined, budget);
      for (const event of eventsOf(operationsOf(text))) {
        if ("invocation" in event) following.invoke(event.invocation, event.stranger);
        else following.complete(event.completion);
      }
      expect(following.finish().state).toBe("general");
      return following.search();
    };
    expect(searched("acquire a 0-5; acquire a 6-7; release a 8-9", 3)).toBe("not-linearizable");
    expect(searched("acquire a 0-5; acquire a 6-7; release a 8-9", 2)).toBe("unknown");
    // The first stays open.
    expect(searched("release? a 2; acquire a 0-1; acquire b 6-7; release b 8-9", 9)).toBe("linearizable");
  });

  it("wait for what an owner does after a slow acquire, but not for ever", () => {
    const following = new KeyOperations(lockModel("owner-aware-mutex"), true);
    const slow = "acquire a 0-5000 lease 5";
    const others = Array.from({ length: 2000 }, (_, round) => {
      const owner = String.fromCharCode(98 + (round % 20));
      const from = 6000 + round * 4;
      return `acquire ${owner} ${from}-${from + 1}; release ${owner} ${from + 2}-${from + 3}`;
    });
    for (const event of eventsOf(operationsOf([slow, ...others].join("; ")))) {
      if ("invocation" in event) following.invoke(event.invocation, event.stranger);
      else following.complete(event.completion);
    }
    expect(following.finish().state).toBe("following");
  });
});

it("an open release may also end a hold that its owner acquired later, and is known only at the end", () => {
  // The first of them stays open.
  const others = "acquire p 0-1 lease 4; acquire q 5-7 lease 1000; acquire p 6-8 lease 1000";
  expect(outcome(`release? p 4; ${others}`)).toBe("following");
  expect(outcome(others)).toBe("impossible");
});

describe("an operation that stays open", () => {
  const round = (number: number): string => {
    const [owner, from] = [String.fromCharCode(98 + (number % 20)), 10 + number * 4];
    return `acquire ${owner} ${from}-${from + 1} lease 1000; release ${owner} ${from + 2}-${from + 3}`;
  };
  const rounds = (count: number): readonly string[] => Array.from({ length: count }, (_, number) => round(number));
  /** At most ten operations wait for it. */
  const bounded = (operations: readonly string[]): KeyOperations => {
    const following = new KeyOperations(lockModel("owner-aware-mutex"), true, new KeptRoom(20), 10);
    for (const event of eventsOf(operationsOf(operations.join("; ")))) {
      if ("invocation" in event) following.invoke(event.invocation, event.stranger);
      else following.complete(event.completion);
    }
    return following;
  };

  it("is taken for one of unknown outcome, and what follows is judged", () => {
    expect(bounded(["acquire? 0", ...rounds(30)]).finish().state).toBe("following");
    const twice = "acquire x 200-201 lease 1000; acquire y 202-203; release x 204-205; release y 206-207";
    expect(bounded(["acquire? 0 lease 1000", ...rounds(30), twice]).progress.state).toBe("impossible");
  });

  it("is not decided when its outcome is known after all", () => {
    const late = bounded([...rounds(30), "acquire a 0-200"]).finish();
    expect(late).toMatchObject({ state: "general", why: "an operation was open for too long" });
    expect(bounded([...rounds(4), "acquire a 0-200"]).finish().state).toBe("following");
  });
});

const RUNS = Number(process.env["LOCKSTORM_AGREEMENT_RUNS"] ?? 250);

describe("random histories, event by event,", () => {
  const kinds = [false, true].flatMap((fixedOwners) => [false, true].map((reentrant) => ({ fixedOwners, reentrant })));

  it.each(kinds)("are judged as by the general search: fixed owners $fixedOwners, re-entry $reentrant", (kind) => {
    const options = { ...kind, processes: 4, maxMoves: 11, contention: true, unknown: true, lies: 20 };
    fc.assert(
      fc.property(moves(options), fc.constantFrom(...LOCK_MODELS), fc.boolean(), (history, model, observed) => {
        const following = followEvents(randomOperations(history, options), model, observed);
        const { state } = following.progress;
        if (state === "general") return;
        expect(state === "following" ? "linearizable" : "not-linearizable").toBe(following.search(1_000_000));
      }),
      { numRuns: RUNS * 4 },
    );
  });
});

describe("operations of owner values that overlap", () => {
  it("may begin a lease before a miss that is completed first", () => {
    // The acquire of a is over after 3.94 from 0 on, not from 1 on, where the miss came.
    const others = "release c 2-9; acquire c 6-8 lease 3";
    expect(outcome(`acquire a 0-4 lease 6; miss b 1-3; ${others}`)).toBe("following");
    expect(outcome(`acquire a 0-5 lease 6; miss b 3-4; release c 2-7; acquire c 4-5 lease 3`)).toBe("following");
    // The miss comes before the acquire of b, at 30 or later. Where a came after it, its lease would be over from 79 on.
    expect(outcome("acquire a 0-50 lease 52; acquire b 10-300; miss b 30-40; acquire c 55-60 lease 12")).toBe(
      "following",
    );
    // The same holds for an acquire of unknown outcome, which the refusal shows to have been granted.
    const refused = "acquire? 0 lease 52; acquire b 10-300; miss b 30-40; contended 45-50; acquire c 55-60 lease 12";
    expect(outcome(refused)).toBe("following");
  });

  it("may not end a hold before what was done with it", () => {
    // The hold of a, whose lease is over since 5, was released at 10 by half; so b acquires at 10, for 9.88 at least.
    const halfReleased = "acquire a 0-2 lease 5; acquire a 1-3 lease 5; release a 10-11; acquire b 4-15 lease 12";
    expect(outcome(`${halfReleased}; acquire c 16-18`, "reentrant-mutex")).toBe("impossible");
    expect(outcome(`${halfReleased}; acquire c 16-21`, "reentrant-mutex")).toBe("following");
  });

  it("may not begin one before a miss of the same owner value that shows it not to hold", () => {
    // The miss came first, at 1 or later: the lease of the first acquire is over after 9.88 from there on.
    expect(outcome("acquire a 0-2 lease 12; miss a 1-4; acquire a 3-10 lease 6")).toBe("impossible");
    expect(outcome("acquire a 0-2 lease 12; miss a 1-4; acquire a 3-11 lease 6")).toBe("following");
    expect(outcome("acquire a 0-5 lease 12; miss a 3-4; acquire b 10-12 lease 6")).toBe("impossible");
    expect(outcome("acquire a 0-5 lease 12; miss a 3-4; acquire b 10-13 lease 6")).toBe("following");
  });

  it("are not told apart before it is known that nothing overlaps them", () => {
    // The release of a is completed before the acquire that it belongs to: it says nothing of the first one.
    const overlapping = "acquire a 210-250; release a 220-221";
    const history = `acquire a 30-90 lease 12; acquire b 60-61 lease 12; acquire? 80; release b 110-150; ${overlapping}`;
    expect(outcome(history)).toBe("following");
  });

  it.each([1, 2, 3])("are judged as by the general search: owner values %i", { tags: "long" }, (owners) => {
    const wild = wildOperations({ leases: [3, 6, 12, 1000], owners });
    fc.assert(
      fc.property(wild, fc.constantFrom(...LOCK_MODELS), (operations, model) => {
        const following = followEvents(operations, model);
        const { state } = following.progress;
        if (state === "general") return;
        expect(state === "following" ? "linearizable" : "not-linearizable").toBe(following.search(1_000_000));
      }),
      { numRuns: RUNS * 8 },
    );
  });
});

describe("the first operation that no order explains", () => {
  it("is the first to complete of those that cannot be placed", () => {
    const first = (text: string): string | undefined => {
      const operation = followEvents(operationsOf(text), "owner-aware-mutex").firstUnexplained();
      return operation && `${operation.kind} ${String(operation.owner)}`;
    };
    expect(first("acquire a 0-1; acquire b 4-5; release a 6-7; release b 8-9")).toBe("acquire b");
    expect(first("acquire a 0-1; release a 2-3; release b 4-5; acquire b 6-7")).toBe("release b");
    expect(first("acquire a 0-9; acquire b 1-8; acquire c 2-7")).toBe("acquire b");
  });

  it.each([false, true])("is not found later by the general search: re-entry %s", (reentrant) => {
    const options = { fixedOwners: false, reentrant, processes: 4, maxMoves: 11, unknown: true, lies: 40 };
    let compared = 0;
    fc.assert(
      fc.property(moves({ ...options, contention: false }), fc.constantFrom(...LOCK_MODELS), (history, model) => {
        // The operation that the follower names may have been completed before the answer that rules it out.
        let seen = Infinity;
        const operations = randomOperations(history, { ...options, contention: false });
        const following = followEvents(operations, model, true, ({ progress }, event) => {
          if (progress.state !== "impossible") return;
          seen = Math.min(seen, "invocation" in event ? event.invocation.index : event.completion.index);
        });
        if (following.progress.state !== "impossible") return;
        compared += 1;
        expect(following.firstUnexplained()?.completed ?? Infinity).toBeLessThanOrEqual(seen);
      }),
      { numRuns: RUNS * 4 },
    );
    expect(compared).toBeGreaterThan(5);
  });
});

it("a release that is never answered may end what an acquire under way at its invocation had begun", () => {
  const after = (isAsking: boolean): string => {
    const following = new KeyOperations(lockModel("reentrant-fenced-mutex"), true);
    // The acquire and the release stay open.
    for (const event of eventsOf(operationsOf("acquire? 1; contended b 2-3; release? a 4; acquire c 5-6"))) {
      if ("invocation" in event) {
        following.invoke(event.invocation, event.stranger, isAsking && event.invocation.f === "release");
      } else following.complete(event.completion);
    }
    return following.finish().state;
  };
  expect(after(true)).toBe("following");
  expect(after(false)).toBe("impossible");
});
