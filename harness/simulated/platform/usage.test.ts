import "./install.ts";
import os from "node:os";
import { expect, test } from "vitest";
import { inHost } from "./testing/in-simulation.ts";

/** What a program may report of itself, and what is another number each time. */
const read = async (): Promise<object> => {
  const busy = performance.eventLoopUtilization();
  const cpu = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    busy: performance.eventLoopUtilization(busy),
    sinceStart: performance.eventLoopUtilization(),
    between: performance.eventLoopUtilization(performance.eventLoopUtilization(), busy),
    cpu: process.cpuUsage(cpu),
    resources: process.resourceUsage(),
    memory: process.memoryUsage(),
    rss: process.memoryUsage.rss(),
    available: process.availableMemory(),
    free: os.freemem(),
    load: os.loadavg(),
  };
};

test("what a program measures of its own work is the same in each run, in the shape of Node", async () => {
  const first = await inHost(read);
  const kept = Buffer.alloc(50_000_000, 1);
  for (const until = performance.now() + 20; performance.now() < until;) kept.fill(2);
  expect(await inHost(read)).toEqual(first);
  expect(kept).toHaveLength(50_000_000);
  const shape = (value: unknown): unknown =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
      : typeof value;
  expect(shape(first)).toEqual(shape(await read()));
});

test("a program that computes takes no time, and so its loop is idle", async () => {
  expect(await inHost(read)).toMatchObject({
    busy: { idle: 20, active: 0, utilization: 0 },
    between: { idle: 20, active: 0, utilization: 0 },
    cpu: { user: 0, system: 0 },
    load: [0, 0, 0],
  });
});
