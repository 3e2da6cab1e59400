// First: libraries store functions of the platform when they are loaded.
import "../simulated/platform/install.ts";
import { foreignDriver, loadDriver } from "../client/load-driver.ts";
import { requireNoWorker } from "../external/find-worker.ts";
import type { LockDriver } from "../core/lock-driver.ts";
import { isolatedDriver } from "../simulated/modules/isolated-driver.ts";

const drivers = new Map<string, Promise<LockDriver>>();

/**
 * The driver of a lock for simulated clients, loaded once per process.
 * @param lock a name or a path, as in plans
 * @throws UserError when there is no such lock or it cannot be loaded
 */
export function simulatedDriver(lock: string): Promise<LockDriver> {
  let driver = drivers.get(lock);
  if (driver === undefined) drivers.set(lock, (driver = loadIsolated(lock)));
  return driver;
}

/**
 * Each client loads its own fresh copy of foreign code. It is loaded once before, so that an error in it is reported before
 * any run.
 */
async function loadIsolated(lock: string): Promise<LockDriver> {
  requireNoWorker(lock);
  const driver = await loadDriver(lock);
  const foreign = foreignDriver(lock);
  const isolated = foreign === undefined ? undefined : isolatedDriver(foreign);
  if (isolated === undefined) return driver;
  const { supports, leases } = driver;
  return { ...isolated, supports, leases };
}
