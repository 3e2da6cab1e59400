import * as util from "node:util";
import { compileFunction } from "node:vm";
import { test } from "@playwright/test";
import { namedTest } from "./named-test.ts";
import type { VerifyOptions } from "./verify-options.ts";

export { LockBrokenError } from "./lock-broken-error.ts";
export type * from "./verify-options.ts";

/**
 * A test of Playwright's runner that verifies a lock in simulation, and fails with the shortest schedule that breaks it.
 *
 *     import { lockstorm } from "lockstorm/playwright";
 *
 *     lockstorm("orders are locked by one at a time", { lock: "./my-lock.ts", topology: "redlock" });
 *
 * A lock's path is relative to the test file. Counterexamples are kept in `.lockstorm`; commit `.lockstorm/regressions`
 * to the repository, so that its plans run first everywhere.
 *
 * The page of that schedule is attached to the test as `report.html`, which Playwright's HTML report shows.
 */
export function lockstorm(name: string, options: VerifyOptions): void {
  const again = (file: string, quotedName: string): string => `npx playwright test ${file} -g ${quotedName}`;
  const { timeoutMs, run } = namedTest(lockstorm, name, options, again);
  // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern, which names no fixture here
  const body: Parameters<typeof test>[2] = async ({}, testInfo) => {
    testInfo.setTimeout(timeoutMs);
    await run({ attach: async ({ name, path, contentType }) => testInfo.attach(name, { path, contentType }) });
  };
  // Absent from a Node that is too old, which the test then says.
  const [, caller] = util.getCallSites?.(2, { sourceMap: false }) ?? [];
  (caller === undefined ? test : testCalledAt(caller))(name, body);
}

/**
 * Playwright reports a test at the place that calls `test`, and finds it by that line. This `test` is called at the line of
 * the test file instead of one of this file.
 */
function testCalledAt({
  scriptName,
  lineNumber,
  columnNumber,
}: util.CallSiteObject): (name: string, body: unknown) => void {
  const place = { filename: scriptName, lineOffset: lineNumber - 1, columnOffset: columnNumber - 1 };
  const call = compileFunction("test(name, body)", ["test", "name", "body"], place);
  return (name, body) => void call(test, name, body);
}
