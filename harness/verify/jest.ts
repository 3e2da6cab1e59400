import { UserError } from "../core/errors.ts";
import { namedTest } from "./named-test.ts";
import type { VerifyOptions } from "./verify-options.ts";

export { LockBrokenError } from "./lock-broken-error.ts";
export type * from "./verify-options.ts";

/** The global `test` of Jest, and of runners like it: a name, a function, a time limit in milliseconds. */
type GlobalTest = (name: string, body: () => Promise<void>, timeoutMs: number) => unknown;

/**
 * A test for Jest, or another runner with a global `test(name, function, milliseconds)`, that verifies a lock in
 * simulation and fails with the shortest schedule that breaks it. Name the lock by its path: it then runs in a process of
 * its own, on plain Node, outside of Jest's modules.
 *
 *     import { lockstorm } from "lockstorm/jest";
 *
 *     lockstorm("orders are locked by one at a time", { lock: "./my-lock.ts", topology: "redlock" });
 *
 * In CommonJS, which is Jest's default, `require("lockstorm/jest")` gives the same function, with or without Babel; the
 * lock must then be named by its path.
 *
 * @throws UserError when there is no global `test`
 */
export function lockstorm(name: string, options: VerifyOptions): void {
  const test = (globalThis as { readonly test?: GlobalTest }).test;
  if (typeof test !== "function") {
    throw new UserError("there is no global test function here", "run it in Jest, or call verifyLock in a test");
  }
  const again = (file: string, quotedName: string): string => `npx jest ${file} -t ${quotedName}`;
  const { timeoutMs, run } = namedTest(lockstorm, name, options, again);
  test(name, async () => run({}), timeoutMs);
}
