import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { LockBrokenError } from "./lock-broken-error.ts";
import { settingsFrom } from "./settings.ts";
import { UndecidedError } from "./undecided-error.ts";
import { verifyHere } from "./verify-here.ts";
import { verifyInProcess } from "./verify-in-process.ts";
import type { Verification, VerifyOptions } from "./verify-options.ts";

/**
 * Verifies a lock in simulation: real client code, simulated servers, network and time, under generated schedules of
 * faults. Works in any test runner; for vitest there is `lockstorm/vitest`.
 *
 *     await verifyLock({ lock: new URL("./my-lock.ts", import.meta.url), topology: "redlock" });
 *
 * @param signal gives it up
 * @returns how many runs held
 * @throws LockBrokenError with the shortest schedule that breaks a required property
 * @throws UndecidedError when no run decided anything
 * @throws UserError when the lock cannot be loaded or an option cannot be; the signal's reason when aborted
 */
export async function verifyLock(options: VerifyOptions, signal?: AbortSignal): Promise<Verification> {
  const { lock } = options;
  const settings = settingsFrom(options, nameOf(lock, options.title), process.env);
  const verification =
    typeof lock === "function" ? await verifyHere(settings, lock, signal) : await verifyInProcess(settings, signal);
  if (verification.counterexample !== undefined) {
    throw new LockBrokenError(settings, verification, verification.counterexample);
  }
  if (verification.valid === 0) throw new UndecidedError(settings, verification);
  return verification;
}

/** What plans call the lock: a path from the working directory, so that they can be kept and passed on. */
function nameOf(lock: VerifyOptions["lock"], title: string | undefined): string {
  if (typeof lock === "function") return title ?? "lock";
  const named = lock instanceof URL || lock.startsWith("file:") ? fileURLToPath(lock) : lock;
  if (!isAbsolute(named)) return named;
  const path = relative(process.cwd(), named).split(sep).join("/");
  return path.startsWith(".") || isAbsolute(path) ? path : `./${path}`;
}
