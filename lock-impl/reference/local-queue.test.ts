import { expect, it } from "vitest";
import { LocalQueue } from "./local-queue.ts";

/** Logs whose turn it is, and what was passed to it. */
function watched(queue: LocalQueue<string, number>, log: string[]) {
  return (key: string, name: string, wish = 0) => {
    const waiter = queue.join(key, wish);
    waiter.turn.then(
      (left) => log.push(`${name}:${left ?? "contend"}`),
      () => {},
    );
    return waiter;
  };
}

it("gives the first its turn at once, the others one after another", async () => {
  const queue = new LocalQueue<string, number>();
  const log: string[] = [];
  const join = watched(queue, log);
  join("k", "a");
  join("k", "b");
  join("k", "c");
  join("other", "d");
  await Promise.resolve();
  expect(log).toEqual(["a:contend", "d:contend"]);
  queue.next("k");
  await Promise.resolve();
  queue.next("k", "the lock");
  await Promise.resolve();
  expect(log.slice(2)).toEqual(["b:contend", "c:the lock"]);
});

it("passes over those who left", async () => {
  const queue = new LocalQueue<string, number>();
  const log: string[] = [];
  const join = watched(queue, log);
  join("k", "a");
  const b = join("k", "b", 1);
  join("k", "c", 2);
  expect(queue.nextWish("k")).toBe(1);
  expect([b.leave(), b.leave()]).toEqual([true, false]);
  expect(queue.nextWish("k")).toBe(2);
  queue.next("k");
  await Promise.resolve();
  expect(log).toEqual(["a:contend", "c:contend"]);
});

it("cannot be left when the turn has come", () => {
  const queue = new LocalQueue<string, number>();
  const a = queue.join("k", 0);
  const b = queue.join("k", 0);
  queue.next("k");
  expect([a.leave(), b.leave()]).toEqual([false, false]);
});

it("begins again when the last has ended its turn", async () => {
  const queue = new LocalQueue<string, number>();
  queue.join("k", 0);
  queue.next("k");
  expect(queue.nextWish("k")).toBeUndefined();
  await expect(queue.join("k", 0).turn).resolves.toBeUndefined();
});
