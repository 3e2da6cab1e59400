import { expect, test } from "vitest";
import { WorkerPool } from "./worker-pool.ts";

/** A thread that keeps so many megabytes more after each task, and answers how many tasks it has done. */
function keeping(megabytes: number): URL {
  const program = `
    import { parentPort } from "node:worker_threads";
    const kept = [];
    parentPort.on("message", () => {
      kept.push(Buffer.alloc(${megabytes} * 1024 ** 2));
      parentPort.postMessage(kept.length);
    });`;
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`);
}

async function answersOf(script: URL, tasks: number): Promise<readonly number[]> {
  await using pool = new WorkerPool<number, number>(script, undefined, 1);
  const answers: number[] = [];
  await pool.do([...Array(tasks).keys()], {
    signal: new AbortController().signal,
    onStart: () => {},
    onAnswer: (_, answer) => void answers.push(answer),
  });
  return answers;
}

test("a thread that has grown beyond its share of memory gives its place to another between two tasks", async () => {
  expect(await answersOf(keeping(200), 7)).toEqual([1, 2, 3, 1, 2, 3, 1]);
});

test("a thread within its share does all tasks", async () => {
  expect(await answersOf(keeping(1), 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
