import { test } from "node:test";
import { LockBrokenError } from "./lock-broken-error.ts";
import { BEYOND_BUDGET_MS, callerFile, failureAt, located } from "./named-test.ts";
import { budgetOf } from "./settings.ts";
import { verifyLock } from "./verify-lock.ts";
import type { VerifyOptions } from "./verify-options.ts";

export { LockBrokenError };
export type { DriverFactory, Verification, VerifyOptions } from "./verify-options.ts";

/**
 * A test of Node's own runner that verifies a lock in simulation, and fails with the shortest schedule that breaks it.
 *
 *     import { lockstorm } from "lockstorm/node-test";
 *
 *     lockstorm("orders are locked by one at a time", { lock: "./my-lock.ts", topology: "redlock" });
 *
 * A lock's path is relative to the test file. Counterexamples are kept in `.lockstorm`; commit `.lockstorm/regressions`
 * to the repository, so that its plans run first everywhere.
 */
export function lockstorm(name: string, options: VerifyOptions): void {
  const called = new Error("called here");
  Error.captureStackTrace(called, lockstorm);
  const timeout = budgetOf(options, process.env) + BEYOND_BUDGET_MS;
  const again = (file: string, quotedName: string): string => `node --test --test-name-pattern=${quotedName} ${file}`;
  // The runner itself waits for it, and says how it ended.
  void test(name, { timeout }, async ({ signal }) => {
    try {
      await verifyLock(located({ title: name, ...options }, callerFile(called), name, again), signal);
    } catch (error) {
      throw failureAt(called, error);
    }
  });
}
