import "./install.ts";
import os from "node:os";
import { expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";

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
