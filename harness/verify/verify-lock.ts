import { isDecided } from "../campaign/notes/tally.ts";
import { verified } from "./check-lock.ts";
import { LockBrokenError } from "./lock-broken-error.ts";
import { UndecidedError } from "./undecided-error.ts";
import type { Verification, VerifyOptions } from "./verify-options.ts";

/**
 * Verifies a lock in simulation: real client code, simulated servers, network and time, under generated schedules of
 * faults. Works in any test runner; for vitest there is `lockstorm/vitest`. `checkLock` returns the same as data.
 *
 *     await verifyLock({ lock: new URL("./my-lock.ts", import.meta.url), topology: "redlock" });
 *
 * @param signal ends the verification early
 * @returns how many runs held
 * @throws LockBrokenError with the shortest schedule that breaks a required property
 * @throws UndecidedError when no run decided anything, or more are unknown than valid
 * @throws UserError when the lock cannot be loaded or an option is invalid; the signal's reason when aborted
 */
export async function verifyLock(options: VerifyOptions, signal?: AbortSignal): Promise<Verification> {
  const { settings, verification } = await verified(options, signal);
  if (verification.counterexample !== undefined) {
    throw new LockBrokenError(settings, verification, verification.counterexample);
  }
  if (!isDecided(verification)) throw new UndecidedError(settings, verification);
  return verification;
}
