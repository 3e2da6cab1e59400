import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../core/errors.ts";
import type { VerificationOptions } from "../campaign/verification.ts";
import { refuseWrong } from "./option-rules.ts";
import { settingsFrom } from "./settings.ts";
import { unprinted } from "./unprinted.ts";
import { verifyHere } from "./verify-here.ts";
import { verifyInProcess } from "./verify-in-process.ts";
import type { Verification, VerifyOptions } from "./verify-options.ts";

/**
 * Verifies a lock as `verifyLock` does, and returns the outcome as data: a lock that breaks is a result, not an error.
 *
 *     const { counterexample } = await checkLock({ lock: "set-px" });
 *
 * @param signal ends the verification early
 * @throws UserError when the lock cannot be loaded or an option is invalid; the signal's reason when aborted
 */
export async function checkLock(options: VerifyOptions, signal?: AbortSignal): Promise<Verification> {
  const { verification } = await verified(options, signal);
  return verification;
}

/** A verification with the given options and their defaults. */
export async function verified(
  options: VerifyOptions,
  signal: AbortSignal | undefined,
): Promise<{ readonly settings: VerificationOptions; readonly verification: Verification }> {
  try {
    refuseWrong(options);
    const { lock } = options;
    const settings = settingsFrom(options, nameOf(lock, options.title), process.env);
    const verification =
      typeof lock === "function" ? await verifyHere(settings, lock, signal) : await verifyInProcess(settings, signal);
    return { settings, verification };
  } catch (error) {
    throw error instanceof UserError ? withHint(error) : error;
  }
}

/** What the user can correct, with the hint in the message: test runners print nothing else. */
function withHint({ message, hint }: UserError): UserError {
  return unprinted(new UserError(`${message}; ${hint}`, hint), "hint");
}

/** The lock's name in plans: a path from the working directory, so that plans can be kept and passed on. */
function nameOf(lock: VerifyOptions["lock"], title: string | undefined): string {
  if (typeof lock === "function") return title ?? "lock";
  const named = lock instanceof URL || lock.startsWith("file:") ? fileURLToPath(lock) : lock;
  if (!isAbsolute(named)) return named;
  const path = relative(process.cwd(), named).split(sep).join("/");
  return path.startsWith(".") || isAbsolute(path) ? path : `./${path}`;
}
