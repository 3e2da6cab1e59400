import { dirname, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "vitest";
import { isModulePath } from "../client/load-driver.ts";
import { LockBrokenError } from "./lock-broken-error.ts";
import { budgetOf } from "./settings.ts";
import { verifyLock } from "./verify-lock.ts";
import type { VerifyOptions } from "./verify-options.ts";

export { LockBrokenError };
export type { DriverFactory, Verification, VerifyOptions } from "./verify-options.ts";

/** What a test may take beyond its budget, in milliseconds: its process has to start. */
const BEYOND_BUDGET_MS = 60_000;

/**
 * A vitest test that verifies a lock in simulation, and fails with the shortest schedule that breaks it.
 *
 *     import { lockstorm } from "lockstorm/vitest";
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
  test(name, { timeout }, async ({ signal, task }) => {
    try {
      await verifyLock(located({ title: name, ...options }, task.file.filepath, name), signal);
    } catch (error) {
      throw from(called, error);
    }
  });
}

/** The options with the lock's path relative to the test file, and with the command that runs this test alone. */
function located(options: VerifyOptions, testFile: string, name: string): VerifyOptions {
  const { lock } = options;
  if (typeof lock === "string" && isModulePath(lock)) {
    return { ...options, lock: pathToFileURL(resolve(dirname(testFile), lock)) };
  }
  if (typeof lock !== "function") return options;
  const file = relative(process.cwd(), testFile);
  return { replayCommand: `npx vitest run ${file} -t ${JSON.stringify(name)}`, ...options };
}

/** The failure with the stack of the line in the test file: the frames in between do not help the reader. */
function from(called: Error, failure: unknown): unknown {
  if (!(failure instanceof LockBrokenError)) return failure;
  const frames = (called.stack ?? "").split("\n").slice(1);
  failure.stack = [`${failure.name}: ${failure.message}`, ...frames].join("\n");
  return failure;
}
