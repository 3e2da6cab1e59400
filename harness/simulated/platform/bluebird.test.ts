import "./install.ts";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";

interface Bluebird {
  delay(ms: number): PromiseLike<void>;
  resolve<T>(value: T): PromiseLike<T>;
}

/** The promises of redlock 4: one queue for the whole process, drained by a `setImmediate` kept from loading time. */
const bluebird = createRequire(import.meta.url)("bluebird") as Bluebird;

test("a library with one queue of its own keeps hosts apart", async () => {
  const kernel = new Kernel({ seed: 1, checkDescent: true });
  const seen: string[] = [];
  for (const [name, offsetUs] of [
    ["a", 0],
    ["b", 5_000_000],
  ] as const) {
    kernel.host(name, { offsetUs }).spawn("main", async () => {
      for (let index = 0; index < 3; index += 1) {
        await bluebird.delay(10);
        await bluebird.resolve(index).then(() => bluebird.delay(0));
        seen.push(`${name} ${Date.now() - Date.UTC(2025, 0, 1)}`);
      }
    });
  }
  await kernel.run();
  expect([...kernel.hosts.values()].flatMap((host) => host.failures)).toEqual([]);
  expect(seen).toEqual(["a 11", "b 5011", "a 22", "b 5022", "a 33", "b 5033"]);
});
