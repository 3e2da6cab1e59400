import type { LockDriver } from "../../core/lock-driver.ts";

/** A lock that cannot connect, as one whose servers are elsewhere. */
export const driver: LockDriver = {
  connect: () => Promise.reject(new Error("no servers where they should be")),
};
