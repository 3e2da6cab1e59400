import { expect, it } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import type { Cause, Hypothesis } from "../core/verdict.ts";
import { inOrderOfTrial } from "./order-of-trial.ts";

const { history } = new Recording().release(0, 0, "a").leave(10, 1, "b").info(20, 1, "release");
const REPORTED = [0, 1];
const UNANSWERED = [2, 3];

const accuse = (
  cause: Cause,
  events: readonly number[] = [],
  ground: Partial<Hypothesis["ground"]> = {},
): Hypothesis => ({
  cause,
  events,
  why: "",
  ground: { on: "operation", invoked: events[0] ?? 0, ...ground } as Hypothesis["ground"],
  remedies: [],
});

function triedFirst(...hypotheses: readonly Hypothesis[]): number {
  const [first] = inOrderOfTrial(hypotheses, history);
  return hypotheses.findIndex((each) => each === first);
}

it("tries a release that reported success before faults that may have led to the grant", () => {
  expect(triedFirst(accuse("eviction"), accuse("foreign-release", REPORTED))).toBe(1);
});

it("leaves a release where it is if nobody knows its outcome, or if it may have been rightful", () => {
  expect(triedFirst(accuse("eviction"), accuse("foreign-release", UNANSWERED))).toBe(0);
  const rightful = accuse("foreign-release", REPORTED, { isPerhapsRightful: true });
  expect(triedFirst(accuse("eviction"), rightful)).toBe(0);
  expect(triedFirst(accuse("overrun"), accuse("foreign-release", REPORTED))).toBe(0);
  expect(triedFirst(accuse("eviction"), accuse("foreign-release", REPORTED), accuse("overrun"))).toBe(1);
});
