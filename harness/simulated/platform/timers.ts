import timers from "node:timers";
import type { Host } from "../kernel/host.ts";
import { current } from "../kernel/current-context.ts";
import { real } from "./real.ts";
import { patch, replace } from "./replace.ts";
import { SimulatedImmediate, SimulatedTimeout } from "./timeout.ts";

type Callback = (...args: unknown[]) => void;

/**
 * Patches the six timer functions, as globals and in `node:timers`. A host's timer can be cleared from anywhere;
 * clearing anything else has no effect, as in Node. Their `promisify.custom` leads to `node:timers/promises`, which is
 * patched elsewhere.
 */
export function patchTimers(): void {
  for (const home of [globalThis, timers]) {
    patch(home, "setTimeout", "setTimeout", (host, args) => startTimer(host, args, false));
    patch(home, "setInterval", "setInterval", (host, args) => startTimer(host, args, true));
    patch(home, "setImmediate", "setImmediate", (host, [callback, ...args]) => {
      if (typeof callback !== "function") return Reflect.apply(real.setImmediate, undefined, [callback]);
      return new SimulatedImmediate(host, callback as Callback, args);
    });
    for (const name of ["clearTimeout", "clearInterval"]) {
      replace(home, name, function (timer: unknown) {
        clearTimer(timer);
      });
    }
    replace(home, "clearImmediate", function clearImmediate(immediate: unknown) {
      if (immediate instanceof SimulatedImmediate) immediate.clear();
      else Reflect.apply(real.clearImmediate, undefined, [immediate]);
    });
  }
}

function startTimer(host: Host, [callback, delayMs, ...args]: readonly unknown[], repeats: boolean): unknown {
  // The real function throws the right error.
  if (typeof callback !== "function") return Reflect.apply(real.setTimeout, undefined, [callback]);
  return new SimulatedTimeout(host, callback as Callback, delayMs, args, repeats);
}

function clearTimer(timer: unknown): void {
  if (timer instanceof SimulatedTimeout) timer.close();
  else if (current.host !== null && (typeof timer === "number" || typeof timer === "string")) {
    current.host.numberedTimers.get(Number(timer))?.[Symbol.dispose]();
  } else Reflect.apply(real.clearTimeout, undefined, [timer]);
}
