import type { TrueClock } from "../../core/system.ts";
import type { Host } from "./host.ts";

/** The true clock, for the program of one host: no fault changes its time or the length of its sleeps. */
export function trueClockOf(host: Host): TrueClock {
  const { kernel } = host;
  return {
    now: () => kernel.now * 1000,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const onAbort = (): void => {
          event.cancel();
          reject(signal?.reason);
        };
        const event = host.io(Math.max(0, Math.ceil(ms * 1000)), "sleep", () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        });
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
  };
}
