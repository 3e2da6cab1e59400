import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { LockDriver } from "../../lock-impl/driver.ts";
import { findLock, locks } from "../../lock-impl/registry.ts";
import { messageOf, UserError } from "../core/errors.ts";

/** True when `lock` names a module rather than a registered lock. */
export function isModulePath(lock: string): boolean {
  return lock.startsWith(".") || isAbsolute(lock);
}

/**
 * Loads the lock under test: a registered one by its name, or a user's module by its path. The module exports a
 * `LockDriver` as `default` or as `driver`.
 * @throws UserError when there is no such lock or the module exports no driver
 */
export async function loadDriver(lock: string): Promise<LockDriver> {
  if (isModulePath(lock)) return loadModule(resolve(lock));
  const entry = findLock(lock);
  if (entry === undefined) {
    const names = locks.map(({ name }) => name).join(", ");
    throw new UserError(
      `there is no lock "${lock}"`,
      `choose one of ${names}, or give the path of a driver: ./my-lock.ts`,
    );
  }
  return entry.load();
}

async function loadModule(path: string): Promise<LockDriver> {
  const mend = "export a LockDriver as default or as `driver`";
  if (!existsSync(path)) throw new UserError(`there is no file ${path}`, "correct the path given as lock");
  let loaded: Record<string, unknown>;
  try {
    loaded = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new UserError(`${path} cannot be loaded: ${messageOf(error)}`, mend, { cause: error });
  }
  const driver = loaded["driver"] ?? loaded["default"];
  if (!isDriver(driver)) throw new UserError(`${path} exports no lock driver`, mend);
  return driver;
}

function isDriver(value: unknown): value is LockDriver {
  return typeof value === "object" && value !== null && "connect" in value && typeof value.connect === "function";
}
