import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyOperations } from "./key-operations.ts";
import { LOCK_MODELS, lockModel, type LockModelName } from "./lock-models.ts";
import { followEvents } from "./testing/follow.ts";
import { operationsOf } from "./testing/notation.ts";
import { eventsOf } from "./testing/operation-events.ts";
import { moves, randomOperations } from "./testing/random-locks.ts";

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

  it("may be left open at the end", () => {
    // The first operation is left open: it may have been granted, and then somebody held.
    expect(outcome("acquire? 0 lease 9; contended 4-5")).toBe("following");
    expect(outcome("contended 4-5")).toBe("unexplained-refusal");
  });

  it("are for the general search when those of one owner overlap", () => {
    const overlapping = followEvents(operationsOf("acquire a 0-5; acquire a 1-6; release a 7-8"), "owner-aware-mutex");
    expect(overlapping.progress.state).toBe("general");
    expect(overlapping.search()).toBe("not-linearizable");
  });

  it("are for the general search when without owners they may be right after all", () => {
    const text = "acquire a 0-1 lease 5; acquire b 8-9 lease 50; release a 10-11; acquire c 12-13";
    expect(outcome(text)).toBe("impossible");
    const mutex = followEvents(operationsOf(text), "mutex");
    expect(mutex.progress.state).toBe("general");
    expect(mutex.search()).toBe("linearizable");
    expect(outcome("acquire a 0-1; release a 2-3; acquire b 4-5", "mutex")).toBe("following");
  });

  it("are unknown to the general search when they were too many to keep", () => {
    const following = new KeyOperations(lockModel("owner-aware-mutex"), true, 2);
    for (const event of eventsOf(operationsOf("acquire a 0-5; acquire a 1-6; release a 7-8"))) {
      if ("invocation" in event) following.invoke(event.invocation, event.stranger);
      else following.complete(event.completion);
    }
    expect(following.finish().state).toBe("general");
    expect(following.search()).toBe("unknown");
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
    const following = new KeyOperations(lockModel("owner-aware-mutex"), true, 20, 10);
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
    expect(late).toMatchObject({ state: "general", why: "an operation was under way for too long" });
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
