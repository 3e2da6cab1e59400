/** What each helper of a test runner exports beside its function. */
export { LockBrokenError } from "./lock-broken-error.ts";
export type { Counterexample, DriverFactory, Verification, VerifyOptions } from "./verify-options.ts";
