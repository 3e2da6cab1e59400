import { expect, test } from "vitest";
import { operationsOf } from "../../testing/notation.ts";
import { KeptOperations, KeptRoom } from "./kept-operations.ts";

const [operation] = operationsOf("acquire a 1-2");

/** How many of `count` operations of one more key are kept. */
function kept(room: KeptRoom, count: number): number | undefined {
  return filled(room, count).all?.length;
}

function filled(room: KeptRoom, count: number): KeptOperations {
  const operations = new KeptOperations(room);
  for (let index = 0; index < count; index += 1) operations.add(operation!);
  return operations;
}

test("the whole history of a key is kept, or nothing of it", () => {
  const room = new KeptRoom();
  expect([kept(room, 300), kept(room, 301), kept(new KeptRoom(5), 5), kept(new KeptRoom(5), 6)]).toEqual([
    300,
    undefined,
    5,
    undefined,
  ]);
});

test("the more operations are kept of other keys, the fewer are kept of one", () => {
  const room = new KeptRoom();
  const others = Array.from({ length: 66 }, () => filled(room, 300));
  others.push(...Array.from({ length: 7 }, () => filled(room, 29)));
  expect([kept(room, 30), kept(room, 31)]).toEqual([30, undefined]);
  others.push(...Array.from({ length: 700 }, () => filled(room, 29)));
  expect(kept(room, 30)).toBeUndefined();
  for (const other of others) other.drop();
  expect(kept(room, 300)).toBe(300);
});
