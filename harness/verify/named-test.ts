import { dirname, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isModulePath } from "../client/load-driver.ts";
import { UserError } from "../core/errors.ts";
import { LockBrokenError } from "./lock-broken-error.ts";
import { budgetOf } from "./settings.ts";
import { UndecidedError } from "./undecided-error.ts";
import { verifyLock } from "./verify-lock.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** What a test may take beyond its budget, in milliseconds: its process has to start. */
const BEYOND_BUDGET_MS = 60_000;

/** The page of a counterexample, as a runner keeps it with its test. */
export interface ReportPage {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  readonly contentType: string;
}

/** What a runner gives to a test that runs. */
interface Surroundings {
  /** The test file, from runners that tell it; that of the line which calls the helper when absent. */
  readonly file?: string;
  readonly signal?: AbortSignal;
  /** Keeps the page with the test in the runner's own reports. */
  readonly attach?: (page: ReportPage) => Promise<unknown>;
}

/** One line of a test file that verifies a lock, before a runner has it. */
interface NamedTest {
  readonly timeoutMs: number;
  readonly run: (surroundings: Surroundings) => Promise<void>;
}

/**
 * What the helpers of all runners do.
 * @param helper the function that the test file calls: a failure points to the line that calls it
 * @param runOne the command for a file and the quoted name of a test
 */
export function namedTest(
  helper: (name: string, options: VerifyOptions) => void,
  name: string,
  options: VerifyOptions,
  runOne: (file: string, quotedName: string) => string,
): NamedTest {
  const called = new Error("called here");
  Error.captureStackTrace(called, helper);
  const run = async ({ file = callerFile(called), signal, attach }: Surroundings): Promise<void> => {
    try {
      await verifyLock(located({ title: name, ...options }, file, name, runOne), signal);
    } catch (failure) {
      if (failure instanceof UserError || failure instanceof UndecidedError) throw failureAt(called, failure);
      if (!(failure instanceof LockBrokenError)) throw failure;
      // The failure names the page's file: a runner that cannot take it must not hide the failure.
      await attach?.(reportOf(failure)).catch(() => undefined);
      throw failureAt(called, failure);
    }
  };
  return { timeoutMs: budgetOf(options, process.env) + BEYOND_BUDGET_MS, run };
}

/** The options with the lock's path relative to the test file, and with the command that runs this test alone. */
function located(
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

function reportOf({ counterexample }: LockBrokenError): ReportPage {
  return { name: "report.html", path: resolve(counterexample.folder, "report.html"), contentType: "text/html" };
}

/** The failure with the stack of the line in the test file: the frames in between do not help the reader. */
function failureAt<Failure extends Error>(called: Error, failure: Failure): Failure {
  const frames = (called.stack ?? "").split("\n").slice(1);
  failure.stack = [`${failure.name}: ${failure.message}`, ...frames].join("\n");
  return failure;
}

/** The file of the first frame of a stack that a function's caller made, where the runner does not tell it. */
function callerFile(called: Error): string {
  const [, place = ""] = /\n\s+at (?:.*? \()?((?:file:\/\/)?[^\n]*?):\d+:\d+\)?(?:\n|$)/.exec(called.stack ?? "") ?? [];
  return place.startsWith("file:") ? fileURLToPath(place) : place;
}
