import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

test("runs one after another, in order, also after one that failed", async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run(async () => {
    log.push("first begins");
    await gate.promise;
    log.push("first ends");
    throw new Error("first failed");
  });
  const second = queue.run(async () => {
    log.push("second");
    return 2;
  });
  await Promise.resolve();
  expect(log).toEqual(["first begins"]);
  gate.resolve();
  await expect(first).rejects.toThrow("first failed");
  expect(await second).toBe(2);
  expect(log).toEqual(["first begins", "first ends", "second"]);
});
