import { expect, test } from "vitest";
import { RunsInOrder } from "./runs-in-order.ts";

/** Tasks whose ends the test decides. */
function tasks(parallel: number, options: { readonly last?: number } = {}) {
  const ends = new Map<number, PromiseWithResolvers<string>>();
  const taken: string[] = [];
  const dropped: string[] = [];
  const signals = new Map<number, AbortSignal>();
  const runs = new RunsInOrder<number, string>({
    parallel,
    run: (task, signal) => {
      signals.set(task, signal);
      const end = Promise.withResolvers<string>();
      ends.set(task, end);
      return end.promise;
    },
    take: (task, run) => {
      taken.push(`${task} ${run}`);
      return task !== options.last;
    },
    drop: (run) => dropped.push(run),
  });
  const end = async (...these: readonly number[]): Promise<void> => {
    for (const task of these) {
      ends.get(task)?.resolve(`run ${task}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { runs, taken, dropped, signals, ends, end };
}

test("results are handed over in the order in which the tasks began, whichever ends first", async () => {
  const { runs, taken, end } = tasks(3);
  for (const task of [0, 1, 2]) {
    expect(await runs.room()).toBe(true);
    runs.begin(task);
  }
  await end(2);
  expect(taken).toEqual([]);
  await end(0);
  expect(taken).toEqual(["0 run 0"]);
  await end(1);
  await runs.end();
  expect(taken).toEqual(["0 run 0", "1 run 1", "2 run 2"]);
});

test("no more run at a time than there may be", async () => {
  const { runs, end } = tasks(2);
  runs.begin(0);
  runs.begin(1);
  let room = false;
  const waiting = runs.room().then(() => (room = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(room).toBe(false);
  await end(1);
  await waiting;
  runs.begin(2);
  await end(0, 2);
  await runs.end();
});

test("after the last that is wanted, nothing begins, the others are told so, and their results are dropped", async () => {
  const { runs, taken, dropped, signals, end } = tasks(4, { last: 1 });
  for (const task of [0, 1, 2, 3]) runs.begin(task);
  await end(3, 0);
  expect(signals.get(2)?.aborted).toBe(false);
  await end(1);
  expect(signals.get(2)?.aborted).toBe(true);
  expect(await runs.room()).toBe(false);
  await end(2);
  await runs.end();
  expect(taken).toEqual(["0 run 0", "1 run 1"]);
  expect(dropped).toEqual(["run 2", "run 3"]);
});

test("an error counts when its turn comes: one after the last that is wanted does not", async () => {
  const { runs, taken, ends, end } = tasks(3, { last: 0 });
  for (const task of [0, 1]) runs.begin(task);
  ends.get(1)?.reject(new Error("too late"));
  await end(0);
  await runs.end();
  expect(taken).toEqual(["0 run 0"]);

  const other = tasks(3);
  for (const task of [0, 1, 2]) other.runs.begin(task);
  other.ends.get(1)?.reject(new Error("in its turn"));
  await other.end(2, 0);
  await expect(other.runs.end()).rejects.toThrow("in its turn");
  expect(other.taken).toEqual(["0 run 0"]);
});
