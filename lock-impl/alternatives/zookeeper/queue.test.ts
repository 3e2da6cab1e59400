import { expect, it } from "vitest";
import { fenceOf } from "../zookeeper.ts";
import { inOrder, nameOf, queueOf } from "./queue.ts";

it("orders by the number that the server gave, not by the name before it", () => {
  const names = ["f-lock-0000000010", "a-lock-0000000011", "z-lock-0000000009"];
  expect(inOrder(names)).toEqual(["z-lock-0000000009", "f-lock-0000000010", "a-lock-0000000011"]);
});

it("goes on in order when the number has grown beyond 32 bits", () => {
  const names = ["a-lock--2147483648", "b-lock-2147483647", "c-lock--2147483647", "d-lock-2147483646"];
  expect(inOrder(names).map((name) => name.slice(0, 1))).toEqual(["d", "b", "a", "c"]);
});

it("makes one name in a path of every key", () => {
  expect(queueOf("orders")).toBe("/locks/orders");
  expect([queueOf("a/b"), queueOf("."), queueOf(".."), queueOf("é\0")]).toEqual([
    "/locks/a%2Fb",
    "/locks/%2E",
    "/locks/%2E%2E",
    "/locks/%C3%A9%00",
  ]);
  expect(nameOf("/locks/orders/x-lock-0000000001")).toBe("x-lock-0000000001");
});

it("has a fencing token as long as a zxid is a number without loss", () => {
  const zxid = (epoch: bigint, counter: bigint): bigint => (epoch << 32n) | counter;
  expect(fenceOf({ czxid: zxid(1n, 0n) })).toBe(2 ** 32);
  expect(fenceOf({ czxid: zxid(2_097_151n, 0xffff_ffffn) })).toBe(Number.MAX_SAFE_INTEGER);
  expect(fenceOf({ czxid: zxid(2_097_152n, 0n) })).toBeUndefined();
});
