import { hostCalling } from "../kernel/current-context.ts";
import type { Host } from "../kernel/host.ts";
import { real } from "./real.ts";
import { keepInPlace, patch } from "./replace.ts";

type Callback = (...args: unknown[]) => void;

/**
 * Patches `process.nextTick` and `queueMicrotask`. The real queues are used, because Node drains them after each step;
 * the patch only turns an exception into a failure of the host.
 */
export function patchTicks(): void {
  const realNextTick = real.nextTick;
  keepInPlace(
    process,
    "nextTick",
    real.nextTickAsFound,
    function nextTick(callback: unknown, ...args: unknown[]): void {
      const host = hostCalling("process.nextTick");
      if (host === null || typeof callback !== "function") Reflect.apply(realNextTick, process, [callback, ...args]);
      else realNextTick(guarded, host, "nextTick", callback, args);
    },
  );
  const realQueueMicrotask = globalThis.queueMicrotask;
  patch(globalThis, "queueMicrotask", "queueMicrotask", (host, [callback]) => {
    if (typeof callback !== "function") return Reflect.apply(realQueueMicrotask, globalThis, [callback]);
    return realQueueMicrotask(() => guarded(host, "microtask", callback as Callback, []));
  });
}

function guarded(host: Host, during: string, callback: Callback, args: unknown[]): void {
  try {
    callback(...args);
  } catch (error) {
    host.uncaught(during, error);
  }
}
