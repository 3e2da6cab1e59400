import { expect, test } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import type { Violation } from "../core/verdict.ts";
import type { JudgedRun } from "./changed-run.ts";
import { endOfVictim, isKept, isLostAnyway } from "./victims.ts";

/** Client 0 is granted the lock as `a`, and client 1 as `b` beside it. */
const both = (): Recording => new Recording({ clients: 2 }).acquire(0, 0, "a").acquire(10, 1, "b");

const plan = { clients: [{ sections: [] }, { sections: [] }] };
const run = ({ history }: Recording): JudgedRun => ({ plan, history }) as unknown as JudgedRun;

/** `b` is released at 20 ms, and client 1 is granted the lock again as `c`: events 1 and 7 overlap. */
const original = run(both().release(20, 1, "b").acquire(30, 1, "c").release(40, 0, "a", false));
const violation = { events: [1, 7] } as unknown as Violation;
const RELEASE = 4;

test("a hold is lost anyway if its client is told so, by a release or a notice, without the accused release", () => {
  const without = (end: (recording: Recording) => Recording): boolean =>
    isLostAnyway(original, run(end(both())), violation);
  expect(without((it) => it.release(40, 0, "a", false))).toBe(true);
  expect(without((it) => it.lost(40, 0, "a"))).toBe(true);
  expect(without((it) => it.release(40, 0, "a"))).toBe(false);
  // Its lease was over by then, or somebody else took it.
  expect(without((it) => it.release(9000, 0, "a", false))).toBe(false);
  expect(without((it) => it.release(35, 1, "b").release(40, 0, "a", false))).toBe(false);
  expect(without((it) => it.leave(30, 1, "b").info(35, 1, "release").release(40, 0, "a", false))).toBe(false);
  expect(without((it) => it.release(40, 0, "a", false).release(50, 1, "b"))).toBe(true);
});

test("a hold is kept if nobody asks for the lock after the accused release, and its client still holds", () => {
  const calm = (end: (recording: Recording) => Recording): boolean =>
    isKept(original, run(end(both())), violation, RELEASE);
  expect(calm((it) => it.release(20, 1, "b").release(40, 0, "a"))).toBe(true);
  expect(calm((it) => it.release(20, 1, "b").release(40, 0, "a", false))).toBe(false);
  expect(calm((it) => it.release(20, 1, "b", false).release(40, 0, "a"))).toBe(false);
  expect(calm((it) => it.release(40, 0, "a").release(50, 1, "b"))).toBe(false);
  expect(calm((it) => it.release(20, 1, "b").seek(30, 3).info(35, 3, "acquire").release(40, 0, "a"))).toBe(false);
  const before = new Recording({ clients: 2 }).acquire(0, 1, "b").release(5, 1, "b").acquire(10, 0, "a");
  expect(isKept(original, run(before.release(40, 0, "a")), violation, RELEASE)).toBe(false);
});

test("a hold is kept after a release of unknown outcome, if that ends as it did before", () => {
  const unanswered = (atMs: number): Recording =>
    new Recording({ clients: 2 }).acquire(0, 1, "b").leave(10, 1, "b").info(atMs, 1, "release").acquire(30, 0, "a");
  const accused = 2;
  const before = run(unanswered(20).acquire(40, 3, "c"));
  const calm = (after: Recording): boolean =>
    isKept(before, run(after), { events: [5, 7] } as unknown as Violation, accused);
  expect(calm(unanswered(20).release(50, 0, "a"))).toBe(true);
  expect(calm(unanswered(20).release(50, 0, "a", false))).toBe(false);
  expect(calm(unanswered(25).release(50, 0, "a"))).toBe(false);
  expect(calm(unanswered(20).acquire(45, 3, "d").release(50, 0, "a"))).toBe(false);
});

test("a hold from which an operation is said to have taken the lock lasts until it is given up, or its lease ends", () => {
  const until = (before: Recording, after: Recording): number | undefined =>
    endOfVictim(run(before), run(after), { events: [3, 7] } as unknown as Violation, 4);
  /** Client 1 releases at 1200 ms what it was granted at 1 ms for so long, beside client 0, and is granted the lock anew. */
  const overrun = (validForMs: number): Recording =>
    new Recording({ clients: 2 })
      .acquire(0, 1, "b", { validForMs })
      .acquire(1100, 0, "a")
      .release(1200, 1, "b")
      .acquire(1300, 1, "c");
  const without = overrun(1000);
  expect(until(without, without)).toBe(2100e6);
  expect(until(without, overrun(1000).release(1400, 0, "a"))).toBe(1400e6);
  // Its lease is not over: it may have given up its own.
  expect(until(overrun(1500), without)).toBeUndefined();
  expect(until(without, new Recording({ clients: 2 }).acquire(0, 1, "b"))).toBeUndefined();
});
