import { test } from "node:test";
import { namedTest } from "./named-test.ts";
import type { VerifyOptions } from "./verify-options.ts";

export { LockBrokenError } from "./lock-broken-error.ts";
export type * from "./verify-options.ts";

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
  const again = (file: string, quotedName: string): string => `node --test --test-name-pattern=${quotedName} ${file}`;
  const { timeoutMs, run } = namedTest(lockstorm, name, options, again);
  // The runner itself waits for it, and says how it ended.
  void test(name, { timeout: timeoutMs }, async ({ signal }) => run({ signal }));
}
