import { expect, test } from "vitest";
import { plan } from "../../run/testing/plans.ts";
import { inTurn } from "./in-turn.ts";

const queue = (from: number, length: number, share: number) => ({
  plans: Array.from({ length }, (_, index) => plan({ limitMs: from + index })).values(),
  share,
});

test("queues take turns as often as their shares say, and the rest follows when one is empty", () => {
  const limits = inTurn([queue(100, 3, 1), queue(200, 6, 2)])
    .map(({ limitMs }) => limitMs)
    .toArray();
  expect(limits).toEqual([200, 100, 201, 202, 101, 203, 204, 102, 205]);
});
