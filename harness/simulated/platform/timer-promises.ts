import promises from "node:timers/promises";
import type { Host } from "../kernel/host.ts";
import { patch } from "./replace.ts";
import { SimulatedImmediate, SimulatedTimeout } from "./timeout.ts";

interface WaitOptions {
  readonly signal?: AbortSignal;
}

/** Patches `node:timers/promises` with its `scheduler`, and `AbortSignal.timeout`. Aborting works as in Node. */
export function patchTimerPromises(): void {
  patch(promises, "setTimeout", "timers/promises.setTimeout", (host, [delayMs, value, options]) =>
    waitFor(value, options, (settle) => new SimulatedTimeout(host, settle, delayMs, [], false)),
  );
  patch(promises, "setImmediate", "timers/promises.setImmediate", (host, [value, options]) =>
    waitFor(value, options, (settle) => new SimulatedImmediate(host, settle, [])),
  );
  patch(promises, "setInterval", "timers/promises.setInterval", (host, [delayMs, value, options]) =>
    ticksOf(host, delayMs, value, signalOf(options)),
  );
  patch(promises.scheduler, "wait", "scheduler.wait", (host, [delayMs, options]) =>
    waitFor(undefined, options, (settle) => new SimulatedTimeout(host, settle, delayMs, [], false)),
  );
  patch(promises.scheduler, "yield", "scheduler.yield", (host) =>
    waitFor(undefined, undefined, (settle) => new SimulatedImmediate(host, settle, [])),
  );
  patch(AbortSignal, "timeout", "AbortSignal.timeout", (host, [delayMs]) => {
    const controller = new AbortController();
    const expire = (): void => {
      controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    };
    new SimulatedTimeout(host, expire, delayMs, [], false).unref();
    return controller.signal;
  });
}

function signalOf(options: unknown): AbortSignal | undefined {
  return typeof options === "object" && options !== null ? (options as WaitOptions).signal : undefined;
}

/** Resolves with `value` when what `start` began calls back, or rejects when the signal aborts first. */
function waitFor(value: unknown, options: unknown, start: (settle: () => void) => Disposable): Promise<unknown> {
  const signal = signalOf(options);
  if (isAborted(signal)) return Promise.reject(abortError(signal));
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      reject(abortError(signal));
    };
    const timer = start(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve(value);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Yields `value` at each interval. Intervals that pass while nobody takes them are delivered later, as in Node. */
async function* ticksOf(host: Host, delayMs: unknown, value: unknown, signal: AbortSignal | undefined): AsyncGenerator {
  if (isAborted(signal)) throw abortError(signal);
  let missed = 0;
  let wake: (() => void) | undefined;
  const notice = (): void => wake?.();
  const interval = new SimulatedTimeout(
    host,
    () => {
      missed += 1;
      notice();
    },
    delayMs,
    [],
    true,
  );
  signal?.addEventListener("abort", notice, { once: true });
  try {
    for (;;) {
      if (missed === 0 && !isAborted(signal)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      for (; missed > 0; missed -= 1) yield value;
      if (isAborted(signal)) throw abortError(signal);
    }
  } finally {
    interval.close();
    signal?.removeEventListener("abort", notice);
  }
}

class AbortError extends Error {
  override readonly name = "AbortError";
  readonly code = "ABORT_ERR";
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function abortError(signal: AbortSignal | undefined): AbortError {
  return new AbortError("The operation was aborted", { cause: signal?.reason });
}
