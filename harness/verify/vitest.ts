import { test } from "vitest";
import { namedTest, type ReportPage } from "./named-test.ts";
import type { VerifyOptions } from "./verify-options.ts";

export { LockBrokenError } from "./lock-broken-error.ts";
export type * from "./verify-options.ts";

/**
 * A vitest test that verifies a lock in simulation, and fails with the shortest schedule that breaks it.
 *
 *     import { lockstorm } from "lockstorm/vitest";
 *
 *     lockstorm("orders are locked by one at a time", { lock: "./my-lock.ts", topology: "redlock" });
 *
 * A lock's path is relative to the test file. Counterexamples are kept in `.lockstorm`; commit `.lockstorm/regressions`
 * to the repository, so that its plans run first everywhere.
 *
 * In watch mode vitest runs a test again when a module that the test imports changes. A lock that is named by its path is
 * loaded by another process: write `lock: () => import("./my-lock.ts")`, or name its file in `forceRerunTriggers`.
 *
 * The page of that schedule is an annotation of the test, which vitest's HTML report and UI show.
 */
export function lockstorm(name: string, options: VerifyOptions): void {
  const again = (file: string, quotedName: string): string => `npx vitest run ${file} -t ${quotedName}`;
  const { timeoutMs, run } = namedTest(lockstorm, name, options, again);
  test(name, { timeout: timeoutMs }, async ({ annotate, signal, task }) => {
    const attach = async ({ path, contentType }: ReportPage): Promise<unknown> =>
      annotate("the schedule that breaks the lock, step by step", { path, contentType });
    await run({ file: task.file.filepath, signal, attach });
  });
}
