import "./install.ts";
import os from "node:os";
import workerThreads from "node:worker_threads";
import { expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";
import { inHost } from "./testing/in-simulation.ts";

test("each host is a machine of its own, and each of its lives another process", async () => {
  const kernel = new Kernel({ seed: 1 });
  const seen: unknown[] = [];
  const look = (): unknown => seen.push([os.hostname(), process.pid]);
  const real = process.pid;
  const [first, second] = [kernel.host("client-0"), kernel.host("client-1")];
  for (const host of [first, second]) host.spawn("main", look);
  await kernel.run();
  second.kill();
  second.start();
  second.spawn("main", look);
  await kernel.run();
  expect(seen.map((each) => (each as unknown[])[0])).toEqual(["client-0", "client-1", "client-1"]);
  expect(new Set(seen.map((each) => (each as unknown[])[1])).size).toBe(3);
  expect(process.pid).toBe(real);
});

test("a program runs in the main thread of its process, whichever thread simulates it", async () => {
  const facts = (): unknown => {
    const { isMainThread, threadId, parentPort, workerData } = workerThreads;
    return { isMainThread, threadId, parentPort, workerData };
  };
  const own = facts();
  const ofHost = await inHost(facts);
  expect(ofHost).toEqual({ isMainThread: true, threadId: 0, parentPort: null, workerData: null });
  expect(facts()).toEqual(own);
});

test("the process that started a host's program is the same in each run", async () => {
  const { ppid } = process;
  expect(await inHost(() => process.ppid)).toBe(1);
  expect(process.ppid).toBe(ppid);
});
