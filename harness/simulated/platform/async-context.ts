import { AsyncResource } from "node:async_hooks";

/**
 * Binds a callback to the async context in which it is given, as Node does with what it calls back later: by this context an
 * `AsyncLocalStorage` knows its store.
 */
export function inCallersContext<Arguments extends unknown[]>(
  callback: (...args: Arguments) => unknown,
): (...args: Arguments) => void {
  const context = new AsyncResource("SIMULATED", { requireManualDestroy: true });
  return (...args) => void context.runInAsyncScope(callback, undefined, ...args);
}
