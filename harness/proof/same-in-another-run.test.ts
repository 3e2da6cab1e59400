import { expect, it } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import type { JudgedRun } from "./changed-run.ts";
import { grantAgain, sameOperation } from "./same-in-another-run.ts";

/** @param tasks how many tasks the first of two clients has */
const run = ({ history }: Recording, tasks = 1): JudgedRun => {
  const sections = Array.from({ length: tasks }, (_, task) => ({ task }));
  return { history, plan: { clients: [{ sections }, { sections: [] }] } } as unknown as JudgedRun;
};

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
  const original = new Recording({ clients: 2 }).acquire(0, 0, "a").extend(10, 0, "a").release(20, 0, "a");
  const other = new Recording({ clients: 2 }).acquire(0, 1, "b").release(5, 1, "b").acquire(10, 0, "c");
  expect(sameOperation(run(original), 4, run(other))).toBeUndefined();
  expect(sameOperation(run(original), 4, run(other.release(20, 0, "c")))).toBe(6);
});

it("tells the tasks of a client apart, also under the numbers under which they go on", () => {
  const original = run(new Recording({ clients: 2 }).seek(0, 0).seek(0, 2).granted(5, 2, "b").granted(10, 0, "a"), 2);
  const [ofTask, ofFirst] = [original.history.events[2]!, original.history.events[3]!];
  const other = run(new Recording({ clients: 2 }).seek(0, 0).seek(0, 2).granted(5, 0, "a").granted(10, 2, "b"), 2);
  expect(grantAgain(original, other, ofTask)?.index).toBe(3);
  expect(grantAgain(original, other, ofFirst)?.index).toBe(2);
  const goesOn = (process: number): JudgedRun =>
    run(new Recording({ clients: 2 }).seek(0, 0).info(3, 0, "acquire").acquire(5, process, "a"), 2);
  const second = goesOn(4).history.events[3]!;
  expect(grantAgain(goesOn(4), goesOn(4), second)?.index).toBe(3);
  expect(grantAgain(goesOn(4), goesOn(2), second)).toBeUndefined();
  expect(sameOperation(original, 1, other)).toBe(1);
  expect(sameOperation(original, 1, goesOn(4))).toBeUndefined();
});
