import type { LockDriver } from "../../core/lock-driver.ts";

/** Rejects a promise that nobody handles as soon as it is asked for the lock. */
export const driver: LockDriver = {
  connect: async () => ({
    acquire: () => {
      void fail();
      return new Promise(() => {});
    },
    release: async () => ({ type: "ok", value: { released: false } }),
    [Symbol.asyncDispose]: async () => {},
  }),
};

function fail(): Promise<never> {
  return Promise.reject(new RangeError("no such slot"));
}
