import { promisify } from "node:util";
import { UserError } from "../../core/errors.ts";
import { hostCalling } from "../kernel/current-context.ts";
import type { Host } from "../kernel/host.ts";

type Callable = (...args: never[]) => unknown;

/** Puts `value` in the place of a property, which stays as visible as it was. */
export function replace(target: object, name: PropertyKey, value: unknown): void {
  const descriptor = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: descriptor?.enumerable ?? true,
    writable: true,
    value,
  });
}

/**
 * Like `replace`, but putting `original` back has no effect, while any other value can still take its place. Whenever
 * Vitest talks to its main process, it restores the `process.nextTick` that it found at its start.
 */
export function keepInPlace(target: object, name: PropertyKey, original: unknown, value: unknown): void {
  let present = value;
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: true,
    get: () => present,
    set: (next: unknown) => {
      present = next === original ? value : next;
    },
  });
}

/**
 * Patches the method `name` of `target`. In a host's program `simulated` answers; outside the simulation the real
 * method does. Within the simulation but outside any host the call throws.
 * @param called its name in errors, `"crypto.randomBytes"`
 * @param simulated gets the host and the original arguments
 */
export function patch(
  target: object,
  name: PropertyKey,
  called: string,
  simulated: (host: Host, args: readonly unknown[]) => unknown,
): void {
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== "function") throw new Error(`${called} is no function here: this Node is not supported`);
  const patched = function (this: unknown, ...args: unknown[]): unknown {
    const host = hostCalling(called);
    return host === null ? Reflect.apply(original as Callable, this, args) : simulated(host, args);
  };
  Object.defineProperty(patched, "name", { value: original.name });
  Object.defineProperty(patched, "length", { value: original.length });
  for (const key of Reflect.ownKeys(original)) {
    const descriptor = Object.getOwnPropertyDescriptor(original, key);
    if (descriptor === undefined || Reflect.has(patched, key)) continue;
    Object.defineProperty(patched, key, { ...descriptor, configurable: true });
  }
  replace(target, name, patched);
}

/**
 * Patches `name` to throw in a host's program, because the simulation does not offer it. So does the form of it that
 * `promisify` returns, if it has one of its own.
 */
export function forbid(target: object, name: PropertyKey, called: string): void {
  const refuse = (): never => {
    throw notSimulated(called);
  };
  patch(target, name, called, refuse);
  const forbidden = Reflect.get(target, name) as object;
  if (Reflect.has(forbidden, promisify.custom)) patch(forbidden, promisify.custom, called, refuse);
}

/** Like `forbid`, for a class. */
export function forbidClass(target: object, name: PropertyKey, called: string): void {
  const Class = Reflect.get(target, name) as NewableFunction;
  const patched = new Proxy(Class, {
    construct(original, args, newTarget: NewableFunction): object {
      if (hostCalling(called) === null) return Reflect.construct(original, args, newTarget) as object;
      throw notSimulated(called);
    },
  });
  replace(target, name, patched);
}

function notSimulated(called: string): UserError {
  return new UserError(
    `${called} is not simulated: a program in a simulated host cannot use it`,
    "give it real time: --backend live or --backend containers",
  );
}
