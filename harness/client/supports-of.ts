import type { Supports } from "../core/sharing.ts";
import { describeWorker } from "../external/describe-worker.ts";
import { findWorker } from "../external/find-worker.ts";
import { loadDriver } from "./load-driver.ts";

/**
 * What a lock supports beyond one holder at a time. A worker is started and asked, unless that is stated elsewhere.
 * @throws UserError when the lock cannot be loaded, or its worker cannot be used
 */
export async function supportsOf(lock: string): Promise<Supports> {
  const worker = findWorker(lock);
  if (worker === undefined) return (await loadDriver(lock)).supports ?? {};
  return worker.supports ?? (await describeWorker(worker)).supports ?? {};
}
