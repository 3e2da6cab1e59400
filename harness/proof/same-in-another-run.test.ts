import { expect, it } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import type { JudgedRun } from "./changed-run.ts";
import { grantAgain, sameOperation } from "./same-in-another-run.ts";

const run = ({ history }: Recording): JudgedRun => ({ history }) as JudgedRun;

it("finds a grant again by its client, its key, and its number among the acquires of both", () => {
  const original = run(new Recording({ clients: 2 }).on("x").acquire(0, 0, "p").on("k").acquire(10, 0, "a"));
  const again = (other: Recording): number | undefined =>
    grantAgain(original, run(other), original.history.events[3]!)?.index;
  const other = (): Recording => new Recording({ clients: 2 });
  expect(again(other().on("k").acquire(0, 0, "b"))).toBe(1);
  expect(again(other().on("x").acquire(0, 0, "q").on("k").acquire(10, 0, "b"))).toBe(3);
  expect(again(other().on("k").acquire(0, 1, "b").acquire(10, 2, "c"))).toBe(3);
  expect(again(other().on("k").fail(0, 0).acquire(10, 0, "c"))).toBeUndefined();
});

it("finds an operation again by its client, its kind, and its number among those", () => {
  const original = new Recording({ clients: 2 }).acquire(0, 0, "a").extend(10, 0, "a").release(20, 0, "a").history;
  const other = new Recording({ clients: 2 }).acquire(0, 1, "b").release(5, 1, "b").acquire(10, 0, "c");
  expect(sameOperation(original, 4, other.history)).toBeUndefined();
  expect(sameOperation(original, 4, other.release(20, 0, "c").history)).toBe(6);
});
