import { mock } from "node:test";
import type { LockDriver } from "../../core/lock-driver.ts";

/** Its client fakes the timers of its process when it is asked for the lock, and waits for one of them. */
export const driver: LockDriver = {
  async connect() {
    return {
      acquire() {
        mock.timers.enable();
        return new Promise(() => {});
      },
      release: async () => ({ type: "info", reason: "nothing was granted" }),
      [Symbol.asyncDispose]: async () => {},
    };
  },
};
