import type { Completion, Grant } from "../../harness/core/lock-driver.ts";

/** Default pause between tries in both versions of `redlock`. */
export const RETRY_DELAY_MS = 200;

/** How long the library says a lock may be trusted; it counts by the wall clock. */
export function validityOf(lock: { readonly expiration: number }): Required<Pick<Grant, "validForMs" | "validFromMs">> {
  const validFromMs = performance.now();
  return { validForMs: lock.expiration - Date.now(), validFromMs };
}

/**
 * What a failed acquisition proves. The library frees what it may have set, but does not say whether that succeeded:
 * only if every server answered is it certain that the lock was not taken.
 */
export function whatFailed(error: unknown, clientFailed: boolean): Completion<never> {
  const reason = String(error);
  return clientFailed ? { type: "info", reason } : { type: "fail", kind: "contended", reason };
}
