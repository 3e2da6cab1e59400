import { describe, expect, it } from "vitest";
import { eventsOf } from "../testing/operation-events.ts";
import { followEvents } from "../testing/follow.ts";
import { operationsOf } from "../testing/notation.ts";
import { KeyOperations } from "./key-operations.ts";
import { KeptRoom } from "./search/kept-operations.ts";
import type { KeyProgress } from "./follower.ts";
import { lockModel } from "./lock-models.ts";
import { StepBudget } from "./step-budget.ts";

function follow(text: string, steps = 1_000_000): KeyProgress["state"] {
  const following = new KeyOperations(lockModel("mutex"), true, new KeptRoom(0), undefined, new StepBudget(steps));
  for (const event of eventsOf(operationsOf(text))) {
    if ("invocation" in event) following.invoke(event.invocation, event.stranger);
    else following.complete(event.completion);
  }
  return following.finish().state;
}

const search = (text: string): string => followEvents(operationsOf(text), "mutex").search();

describe("a lock without owners", () => {
  it("is not explained by owners from an operation on that they cannot have made", () => {
    const stolen = "acquire a 0-1; release b 2-3; contended c 4-5";
    expect(search(stolen)).toBe("not-linearizable");
    expect(follow(stolen)).toBe("unexplained-refusal");
  });

  it("is accused of nothing where holds are left out of the search", () => {
    const leases = Array.from({ length: 6 }, (_, one) => `acquire ${"abcdef"[one]} 0-${1000 + one} lease 5`);
    const hidden = `${leases.join("; ")}; acquire x 500-501 lease 2000`;
    expect(search(hidden)).toBe("linearizable");
    expect(follow(hidden)).toBe("general");
  });

  it("is explained by owners where the steps do not suffice to follow it without them", () => {
    const turns = Array.from({ length: 8 }, (_, turn) => {
      const [owner, at] = ["abcdefgh"[turn], 2 * turn];
      // Every release stays under way until the end: without owners, each grant may come after any of them.
      return `acquire ${owner} ${at}-${at + 1} lease ${1000 + turn}; release ${owner} ${at + 1}-${1000 + turn}`;
    });
    for (let steps = 50; steps <= 250; steps += 1)
      expect(follow(turns.join("; "), steps), `${steps}`).toBe("following");
  });

  it("may extend the hold that began after a release under way, and not the one that was released", () => {
    const handed = "acquire a 0-1; release a 2-13; acquire b 3-14; extend c 10-11 lease 50; acquire d 80-81";
    expect(search(handed)).toBe("linearizable");
    expect(follow(handed)).toBe("following");
  });
});
