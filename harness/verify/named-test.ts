import { dirname, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isModulePath } from "../client/load-driver.ts";
import { LockBrokenError } from "./lock-broken-error.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** What a test may take beyond its budget, in milliseconds: its process has to start. */
export const BEYOND_BUDGET_MS = 60_000;

/**
 * The options with the lock's path relative to the test file, and with the command that runs this test alone.
 * @param runOne the command for a file and the quoted name of a test
 */
export function located(
  options: VerifyOptions,
  testFile: string,
  name: string,
  runOne: (file: string, quotedName: string) => string,
): VerifyOptions {
  const { lock } = options;
  if (typeof lock === "string" && isModulePath(lock)) {
    return { ...options, lock: pathToFileURL(resolve(dirname(testFile), lock)) };
  }
  if (typeof lock !== "function") return options;
  return { replayCommand: runOne(relative(process.cwd(), testFile), JSON.stringify(name)), ...options };
}

/** The failure with the stack of the line in the test file: the frames in between do not help the reader. */
export function failureAt(called: Error, failure: unknown): unknown {
  if (!(failure instanceof LockBrokenError)) return failure;
  const frames = (called.stack ?? "").split("\n").slice(1);
  failure.stack = [`${failure.name}: ${failure.message}`, ...frames].join("\n");
  return failure;
}

/** The file of the first frame of a stack that a function's caller made, for runners that do not tell it. */
export function callerFile(called: Error): string {
  const [, place = ""] = /\n\s+at (?:.*? \()?((?:file:\/\/)?[^\n]*?):\d+:\d+\)?(?:\n|$)/.exec(called.stack ?? "") ?? [];
  return place.startsWith("file:") ? fileURLToPath(place) : place;
}
