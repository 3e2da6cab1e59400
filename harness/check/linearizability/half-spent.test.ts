import { expect, it } from "vitest";
import { eventsOf } from "../testing/operation-events.ts";
import { operationsOf } from "../testing/notation.ts";
import { KeyOperations } from "./key-operations.ts";
import { KeptRoom } from "./search/kept-operations.ts";
import type { KeyProgress } from "./follower.ts";
import { lockModel } from "./lock-models.ts";
import { StepBudget } from "./step-budget.ts";

/** Operations under one owner value that overlap, many of unknown outcome. */
const turns = (count: number): string =>
  Array.from({ length: count }, (_, turn) => {
    const at = turn * 20;
    return (
      `acquire s ${at}-${at + 9} lease ${100 + turn}; acquire s ${at + 1}-${at + 8}; acquire? ${at + 2} lease ${30 + turn}; ` +
      `release? s ${at + 3}; extend? s ${at + 4} lease ${50 + turn}; release s ${at + 5}-${at + 11}; ` +
      `acquire s ${at + 10}-${at + 13}; release s ${at + 12}-${at + 14}`
    );
  }).join("; ");

/** What is known of them after so many steps at most. No general search helps. */
function follow(text: string, steps: number): KeyProgress["state"] {
  const budget = new StepBudget(steps);
  const following = new KeyOperations(lockModel("reentrant-fenced-mutex"), false, new KeptRoom(0), undefined, budget);
  for (const event of eventsOf(operationsOf(text))) {
    if ("invocation" in event) following.invoke(event.invocation, event.stranger);
    else following.complete(event.completion);
  }
  return following.finish().state;
}

it("one explanation is enough, once half of the steps are spent on looking for all", () => {
  expect(follow(turns(3), 300_000)).toBe("following");
  expect(follow(turns(6), 1_000_000)).toBe("following");
});

it("nothing is impossible from then on", () => {
  const impossible = "; acquire t 5000-5001; acquire u 5002-5003; release t 5004-5005; release u 5006-5007";
  expect(follow(`${turns(1)}${impossible}`, 1_000_000)).toBe("impossible");
  expect(follow(`${turns(6)}${impossible}`, 1_000_000)).toBe("general");
});
