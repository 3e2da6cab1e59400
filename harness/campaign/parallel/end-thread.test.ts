import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { endThread } from "./end-thread.ts";

/** Of so many that are asked once, a few go on for ever. */
const THREADS = 100;

test("a thread ends that loops over rejected promises", { tags: "long" }, async () => {
  const loop = '(async () => { for (;;) try { await Promise.reject(new Error("closed")); } catch {} })()';
  for (let thread = 0; thread < THREADS; thread += 1) {
    const worker = new Worker(loop, { eval: true });
    await once(worker, "online");
    // So that it is asked in the middle of its loop, each time somewhere else.
    await setTimeout(20 + (thread % 10));
    const ended = once(worker, "exit");
    await endThread(worker);
    expect((await ended).length).toBe(1);
  }
});
