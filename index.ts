/**
 * lockstorm as a library: the functions that verify a lock, the interface of a lock under test, and locks on Redis. The command
 * line and `lockstorm/vitest` use the same code.
 */
export { verifyLock } from "./harness/verify/verify-lock.ts";
export { checkLock } from "./harness/verify/check-lock.ts";
export { LockBrokenError } from "./harness/verify/lock-broken-error.ts";
export { UndecidedError } from "./harness/verify/undecided-error.ts";
export type { Counterexample, DriverFactory, Verification, VerifyOptions } from "./harness/verify/verify-options.ts";

export type {
  AcquireOptions,
  Address,
  Assumptions,
  Completion,
  Grant,
  LockClient,
  LockDriver,
  LockEnvironment,
  Servers,
} from "./harness/core/lock-driver.ts";
export type { Sharing, Supports } from "./harness/core/sharing.ts";

export type { Config } from "./harness/campaign/config.ts";

export { UserError, HarnessError } from "./harness/core/errors.ts";
export type { TopologyKind } from "./harness/core/topologies/registry.ts";
export type { Cause, Property, Verdict } from "./harness/core/verdict.ts";

export { Locks, type LockOptions, type LocksOptions } from "./lock-impl/reference/locks.ts";
export type { HeldLock, Unlocked } from "./lock-impl/reference/held-lock.ts";
export { LockLostError, LockUnavailableError } from "./lock-impl/reference/lock-errors.ts";
export type { LockServers } from "./lock-impl/parts/servers.ts";
export type { LossPolicy } from "./lock-impl/parts/renewing/watchdog.ts";
