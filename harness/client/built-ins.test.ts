import { expect, test } from "vitest";
import { UserError } from "../core/errors.ts";
import {
  beginRunWithBuiltIns,
  blamedOnBuiltIns,
  endRunWithBuiltIns,
  noteBuiltIns,
  requireBuiltIns,
} from "./built-ins.ts";

noteBuiltIns();

const slice = valueOf(String.prototype, "slice");
const { Buffer: originalBuffer } = globalThis;

function valueOf(owner: object, key: PropertyKey): unknown {
  return Object.getOwnPropertyDescriptor(owner, key)?.value;
}

function alter(owner: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(owner, key, { value, configurable: true, writable: true, enumerable: true });
}

test("what a run replaced, removed and added is as before when it is over", () => {
  beginRunWithBuiltIns();
  alter(String.prototype, "slice", () => "replaced");
  alter(String.prototype, "added", () => "added");
  const at = valueOf(Array.prototype, "at");
  Reflect.deleteProperty(Array.prototype, "at");
  globalThis.Buffer = null as unknown as typeof Buffer;
  // A second client of the run: what the first one altered is not how it should be.
  beginRunWithBuiltIns();
  endRunWithBuiltIns();
  expect(valueOf(String.prototype, "slice")).toBe(slice);
  expect(String.prototype).not.toHaveProperty("added");
  expect(valueOf(Array.prototype, "at")).toBe(at);
  expect(globalThis.Buffer).toBe(originalBuffer);
});

test("what was there when a run began stays", () => {
  const wrapped = function (this: string, ...args: unknown[]): unknown {
    return Reflect.apply(slice as (...args: unknown[]) => unknown, this, args);
  };
  alter(String.prototype, "slice", wrapped);
  alter(String.prototype, "added", 1);
  beginRunWithBuiltIns();
  endRunWithBuiltIns();
  expect(valueOf(String.prototype, "slice")).toBe(wrapped);
  expect(String.prototype).toHaveProperty("added");
  alter(String.prototype, "slice", slice);
  Reflect.deleteProperty(String.prototype, "added");
});

test("outside a run of clients with modules of their own nothing is put back", () => {
  alter(String.prototype, "added", 1);
  endRunWithBuiltIns();
  expect(String.prototype).toHaveProperty("added");
  Reflect.deleteProperty(String.prototype, "added");
});

test("an error is blamed on what was altered, and otherwise reported as it is", () => {
  const error = new TypeError("x is not a function");
  expect(blamedOnBuiltIns(error)).toBe(error);
  alter(String.prototype, "slice", () => "replaced");
  const blamed = blamedOnBuiltIns(error, "./a.ts");
  const known = new UserError("what", "do");
  const other = blamedOnBuiltIns(known);
  alter(String.prototype, "slice", slice);
  expect(blamed).toBeInstanceOf(UserError);
  expect((blamed as Error).message).toBe(
    "./a.ts altered String.prototype.slice, which lockstorm needs too: x is not a function",
  );
  expect(other).toBe(known);
});

test("an error of the driver's is blamed on a function that is gone", () => {
  const known = new UserError("the lock of client-0 could not connect: x.call is not a function", "fix it");
  const call = valueOf(Function.prototype, "call");
  alter(Function.prototype, "call", null);
  const blamed = blamedOnBuiltIns(known, "./a.ts");
  Reflect.defineProperty(Function.prototype, "call", { value: call, configurable: true, writable: true });
  expect(blamed).toMatchObject({
    message:
      "./a.ts altered Function.prototype.call, which lockstorm needs too: the lock of client-0 could not connect: x.call is not a function",
  });
});

test("a new property counts only where a loop over any object meets it", () => {
  const error = new TypeError("x");
  alter(String.prototype, "added", 1);
  expect(blamedOnBuiltIns(error)).toBe(error);
  Reflect.deleteProperty(String.prototype, "added");
  alter(Object.prototype, "added", 1);
  const blamed = blamedOnBuiltIns(error);
  Reflect.deleteProperty(Object.prototype, "added");
  expect((blamed as Error).message).toMatch(/^the lock altered Object\.prototype\.added,/);
});

test("a function that is none any more ends a run, one that was replaced does not", () => {
  const padEnd = valueOf(String.prototype, "padEnd");
  const union = valueOf(Set.prototype, "union");
  alter(String.prototype, "padEnd", () => "replaced");
  expect(() => requireBuiltIns("./a.ts")).not.toThrow();
  alter(Set.prototype, "union", null);
  expect(() => requireBuiltIns("./a.ts")).toThrow("./a.ts altered Set.prototype.union, which lockstorm needs too");
  alter(Set.prototype, "union", union);
  alter(String.prototype, "padEnd", padEnd);
});

test("symbols are named as in code, and at most three properties", () => {
  const { prototype } = Symbol;
  const saved: [PropertyKey, PropertyDescriptor][] = [];
  for (const [key, value] of [
    [Symbol.toStringTag, 1],
    ["toString", 1],
    ["valueOf", 1],
    ["constructor", 1],
  ] as const) {
    saved.push([key, Object.getOwnPropertyDescriptor(prototype, key)!]);
    Object.defineProperty(prototype, key, { value });
  }
  const blamed = blamedOnBuiltIns(undefined);
  for (const [key, descriptor] of saved) Object.defineProperty(prototype, key, descriptor);
  expect((blamed as Error).message).toBe(
    "the lock altered Symbol.prototype.constructor, Symbol.prototype.toString, Symbol.prototype.valueOf and 1 more, which lockstorm needs too",
  );
});
