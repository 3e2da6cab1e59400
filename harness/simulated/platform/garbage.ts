import { hostCalling } from "../kernel/current-context.ts";
import { replace } from "./replace.ts";

/**
 * Patches `FinalizationRegistry` and `WeakRef`. When V8 collects what a program has dropped is decided in the real world,
 * outside every host. In a host nothing that is watched counts as collected, as in a process with enough memory: a registry
 * never calls back, and a reference keeps what it names.
 */
export function patchGarbage(): void {
  const Registry = globalThis.FinalizationRegistry;
  replaceClass("FinalizationRegistry", Registry, ([callback, ...rest], construct) =>
    construct(typeof callback === "function" ? [() => {}, ...rest] : [callback, ...rest]),
  );
  const named = new WeakMap<object, unknown>();
  replaceClass("WeakRef", globalThis.WeakRef, (args, construct) => {
    const reference = construct(args);
    named.set(reference, args[0]);
    return reference;
  });
}

/** Constructs in another way where a host's program does. */
function replaceClass(
  name: string,
  Class: NewableFunction,
  construct: (args: readonly unknown[], original: (args: readonly unknown[]) => object) => object,
): void {
  const patched = new Proxy(Class, {
    construct(target, args: unknown[], newTarget: NewableFunction): object {
      const original = (given: readonly unknown[]): object => Reflect.construct(target, given, newTarget) as object;
      return hostCalling(`new ${name}()`) === null ? original(args) : construct(args, original);
    },
  });
  replace(globalThis, name, patched);
}
